import CaptureModel
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Bytes that changed in Redis", .timeLimit(.minutes(3)))
struct LedgerChangedBytesTests {
    @Test func `a dead letter whose bytes changed in Redis is put back with those of its bundle`() async throws {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let bundle = UploadedBundle.signed(1, of: device.id)
            let first = try await fixture.upload(1, of: device.id)
            let photo = RedisArgument.string(fixture.queue.keyspace.partition(of: device.id).photo(first.id))
            try await fixture.queue.redis("SETRANGE", photo, 0, "xxxx")
            let worker = fixture.queue.queue("worker")
            _ = try await worker.settle([try await worker.claimOne().burying(.bundleCorrupt)])

            let again = try await fixture.upload(1, of: device.id)
            #expect(again == Acceptance.Accepted(id: first.id, state: .queued, isDuplicate: true))
            #expect(try await fixture.queue.redis("GET", photo).buffer == bundle.media.photo)
            #expect(try await fixture.queue.redis("TTL", photo).int == -1)
            #expect(try await worker.load().deadLetters == 0)
            #expect(try await QueueDoctor(queue: worker).examine().findings == [])
            #expect(try await worker.claimOne().ids == [first.id])
            let row = try #require(try await fixture.ledger.entries(of: [first.id]).first)
            #expect(row.submission.bundleDigest == bundle.digest(device: device.id))
        }
    }

    /// A worker cannot read them either, and gives the capture up for that.
    @Test func `a dead letter whose photo is more than an answer of Redis may have gets that of its bundle`()
        async throws
    {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let media = UploadedBundle.signed(1, of: device.id).media
            let first = try await fixture.upload(1, of: device.id)
            let photo = RedisArgument.string(fixture.queue.keyspace.partition(of: device.id).photo(first.id))
            let limit = try RedisConfiguration(url: fixture.queue.server.url).replyBytesMax
            try await fixture.queue.redis("SETRANGE", photo, .integer(limit), "x")
            let worker = fixture.queue.queue("worker")
            _ = try await worker.settle([try await worker.claimOne().burying(.attemptsExhausted)])

            let again = try await fixture.upload(1, of: device.id)
            #expect(again == Acceptance.Accepted(id: first.id, state: .queued, isDuplicate: true))
            #expect(try await fixture.queue.redis("GET", photo).buffer == media.photo)
        }
    }

    /// To a worker that finds no photo the bytes are missing, whatever the depth map is.
    @Test func `a dead letter whose photo is gone and whose depth map changed gets both from its bundle`()
        async throws
    {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let media = UploadedBundle.signed(1, of: device.id).media
            let first = try await fixture.upload(1, of: device.id)
            let keys = fixture.queue.keyspace.partition(of: device.id)
            let photo = RedisArgument.string(keys.photo(first.id))
            let depth = RedisArgument.string(keys.depth(first.id))
            try await fixture.queue.redis("DEL", photo)
            try await fixture.queue.redis("SETRANGE", depth, 0, "xxxx")
            let worker = fixture.queue.queue("worker")
            _ = try await worker.settle([try await worker.claimOne().burying(.bundleMissing)])

            let again = try await fixture.upload(1, of: device.id)
            #expect(again == Acceptance.Accepted(id: first.id, state: .queued, isDuplicate: true))
            #expect(try await fixture.queue.redis("GET", photo).buffer == media.photo)
            #expect(try await fixture.queue.redis("GET", depth).buffer == media.depth)
            for key in [photo, depth] { #expect(try await fixture.queue.redis("TTL", key).int == -1) }
            #expect(try await QueueDoctor(queue: worker).examine().findings == [])
        }
    }
}
