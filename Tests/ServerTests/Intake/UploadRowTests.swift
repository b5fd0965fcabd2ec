import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("An upload that has no answer, and its row", .timeLimit(.minutes(5)))
struct UploadRowTests {
    @Test func `an upload does not wait longer than it may, and its retry finds its row`() async throws {
        try await IntakeFixture.with { fixture async throws in
            let device = DeviceID(UUID())
            try await fixture.running {
                let error = await #expect(throws: APIError.self) { try await fixture.upload(1, of: device) }
                #expect(error?.code == .unavailable && error?.retryAfter != nil)
                let row = try #require(try await fixture.ledger.openIntake(after: 0, olderThan: .zero, limit: 9).first)
                try await fixture.firstTurn()
                let receipt = try await fixture.upload(1, of: device)
                #expect(receipt == .init(id: row.capture, state: .queued, isDuplicate: true))
                #expect(try await fixture.queue.queue().claimOne().ids == [row.capture])
                let kept = try await fixture.bundles.fetch(fixture.submissions())
                #expect(kept.count == 1 && kept[0].media != nil)
            }
        }
    }

    @Test func `a refused upload leaves neither row nor bytes`() async throws {
        try await IntakeFixture.with { fixture async throws in
            try await fixture.running {
                try await fixture.firstTurn()
                try await fixture.queue.redis(
                    "HSET", .string("{\(fixture.queue.keyspace.queue):0}:limits"), "captures_max", 1)
                let device = DeviceID(UUID())
                _ = try await fixture.upload(1, of: device)
                let error = await #expect(throws: APIError.self) { try await fixture.upload(2, of: device) }
                #expect(error?.code == .queueFull)
                #expect(try await fixture.ledger.openIntake(after: 0, olderThan: .zero, limit: 9).count == 1)
                #expect(try await fixture.queue.keys().filter { $0.contains(":photo:") }.count == 1)
            }
        }
    }

    @Test func `a primary that its replicas have left refuses an upload, and its row is taken back`() async throws {
        try await IntakeFixture.with(outside: MemoryBundleStore(named: .filesystem)) { fixture async throws in
            try await fixture.running {
                try await fixture.firstTurn()
                try await fixture.queue.redis("CONFIG", "SET", "min-replicas-to-write", 1)
                let device = DeviceID(UUID())
                let error = await #expect(throws: APIError.self) { try await fixture.upload(1, of: device) }
                #expect(error?.code == .unavailable && error?.retryAfter != nil)
                #expect(try await fixture.ledger.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty)
                try await fixture.queue.redis("CONFIG", "SET", "min-replicas-to-write", 0)
                let accepted = try await fixture.upload(1, of: device)
                #expect(!accepted.isDuplicate, "nothing was kept of it")
            }
        }
    }

    /// The ledger would name the verified capture when the row is recorded again, and the upload be told that its own
    /// capture was discarded.
    @Test func `an upload with a bad signature is told of its own capture when its row was claimed`() async throws {
        try await IntakeFixture.withDevice { fixture, device async throws in
            let genuine = try await fixture.upload(5, of: device.id, signature: 1, isGood: true).id
            let row = try #require(try await fixture.ledger.entries(of: [genuine]).first)
            let verified = SignedUpload.verified(row.submission, of: device, counter: 5)
            #expect(try await fixture.store.settle([verified], policy: .strict).map(\.reason) == [nil])
            let altered = try await fixture.upload(5, of: device.id, signature: 2, isGood: true)
            #expect(altered.id == genuine && altered.isDuplicate)
            let own = try await fixture.upload(5, of: device.id, signature: 3, isGood: false)
            #expect(own.id != genuine && !own.isDuplicate)
            #expect(try await fixture.ledger.claim([own.id]).entries.map(\.submission.id) == [own.id])
            let again = try await fixture.upload(5, of: device.id, signature: 3, isGood: false)
            #expect(again == .init(id: own.id, state: .queued, isDuplicate: true))
            #expect(try await fixture.ledger.entries(of: [own.id]).count == 1)
        }
    }
}

extension IntakeFixture {
    /// Everything that is open.
    fileprivate func submissions() async throws -> [CaptureSubmission] {
        let open = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 100)
        return try await ledger.claim(open.map(\.capture)).entries.map(\.submission)
    }
}
