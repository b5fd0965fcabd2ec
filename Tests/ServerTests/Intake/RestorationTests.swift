import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("A queue that may have lost data", .timeLimit(.minutes(3)))
struct RestorationTests {
    /// What takes data, or the knowledge of data, away.
    enum Loss: CaseIterable, Sendable {
        case flushed, restarted, restartedWithoutFile, functionsLoadedAgain, functionsGone

        func happen(to fixture: QueueFixture) async throws {
            switch self {
            case .flushed: try await fixture.redis("FLUSHALL")
            case .restarted:
                try await fixture.server.kill()
                try await fixture.server.restart()
            case .restartedWithoutFile:
                try await fixture.server.kill()
                try FileManager.default.removeItem(at: fixture.server.directory.appendingPathComponent("appendonlydir"))
                try await fixture.server.restart()
            case .functionsLoadedAgain:
                try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(FunctionLibrary.current.source))
            case .functionsGone: try await fixture.redis("FUNCTION", "FLUSH")
            }
            try await eventually { (try? await fixture.redis("PING")) != nil }
        }
    }

    @Test func `a queue after a loss takes nothing from gateways with a ledger before it is restored`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let upload = SubmissionMaker.submission(seed: 1)
            await #expect(throws: QueueError(.restoring, "")) { try await fixture.upload(upload) }
            #expect(try await fixture.queue().load().captures == 0)
            _ = try await fixture.queue().beginRestoration(of: 0, mark: .numbered(1))
            await #expect(throws: QueueError(.restoring, "")) { try await fixture.upload(upload) }
            _ = try await fixture.queue().finishRestoration(of: 0, mark: .numbered(1))
            #expect(try await fixture.upload(upload) == .accepted)
        }
    }

    @Test func `a queue after a loss takes everything from gateways without one`() async throws {
        try await QueueFixture.with { fixture async throws in
            var maker = SubmissionMaker(seed: 1)
            #expect(try await fixture.upload(maker.submission(of: maker.device())) == .accepted)
        }
    }

    @Test func `a queue after a loss still knows a bundle that it has`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            var maker = SubmissionMaker(seed: 1)
            let upload = maker.submission(of: maker.device())
            try await fixture.queue().markRestored(1)
            #expect(try await fixture.upload(upload) == .accepted)
            try await Loss.functionsLoadedAgain.happen(to: fixture)
            #expect(try await fixture.upload(upload) == .accepted, "the same call again")
            let again = maker.submission(of: upload.device, digest: upload.bundleDigest)
            #expect(try await fixture.upload(again) == .duplicate(of: upload.id))
        }
    }

    @Test(arguments: Loss.allCases)
    func `a queue after a loss loses its mark with every way of losing data`(_ loss: Loss) async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            try await queue.markRestored(1)
            #expect(try await queue.restorations() == [.restored(.numbered(1))])
            try await loss.happen(to: fixture)
            #expect(try await queue.restorations() == [.unmarked])
            var maker = SubmissionMaker(seed: 1)
            await #expect(throws: QueueError(.restoring, "")) {
                try await fixture.upload(maker.submission(of: maker.device()))
            }
            try await queue.markRestored(2)
            // A key that comes back from an older server is not the mark in force.
            try await fixture.redis(
                "SET", .string("{\(fixture.keyspace.queue):0}:restored"),
                .string("restored:\(RestorationMark.numbered(1))"))
            #expect(try await queue.restorations() == [.unmarked])
        }
    }

    /// As after a failover that it was not told of, and another one back to it.
    @Test func `a queue that no gateway has asked for the lifetime of its mark is one after a loss`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            try await queue.markRestored(1)
            var maker = SubmissionMaker(seed: 1)
            let device = maker.device()
            let first = maker.submission(of: device)
            #expect(try await fixture.upload(first) == .accepted)
            // From here on for one millisecond.
            try await fixture.redis(
                "FCALL", "capture_restoration_v1", 1, .string(fixture.keyspace[0].ready), "look", "", 1)
            try await letTimePass(.milliseconds(20))
            let second = maker.submission(of: device)
            await #expect(throws: QueueError(.restoring, "")) { try await fixture.upload(second) }
            #expect(try await queue.restorations() == [.unmarked])
            #expect(try await fixture.upload(first) == .accepted, "what it has is known all the same")
            try await queue.markRestored(2)
            #expect(try await fixture.upload(second) == .accepted)
        }
    }

    /// The walk through the ledger may take longer, and asks for no mark where nothing is missing.
    @Test func `a queue that is being restored keeps its mark, however long that takes`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            try await fixture.redis(
                "FCALL", "capture_restoration_v1", 1, .string(fixture.keyspace[0].ready), "begin",
                .string("\(RestorationMark.numbered(1))"), 1)
            try await letTimePass(.milliseconds(20))
            #expect(try await queue.finishRestoration(of: 0, mark: .numbered(1)) == .restored(.numbered(1)))
        }
    }

    @Test(arguments: [Loss.flushed, .restarted, .functionsLoadedAgain])
    func `a queue that loses data while it is restored is not marked as restored`(_ loss: Loss) async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(1))
            try await loss.happen(to: fixture)
            var maker = SubmissionMaker(seed: 1)
            let lost = LostCapture(submission: maker.submission(of: maker.device()), isRedriven: false)
            await #expect(throws: QueueError(.restoring, "")) {
                _ = try await queue.restore([lost], in: 0, under: .numbered(1))
            }
            #expect(try await queue.finishRestoration(of: 0, mark: .numbered(1)) == .unmarked)
        }
    }

    /// Each partition is begun by itself, and there may be 1,024 of them.
    @Test func `a queue after a loss has its limits again before it takes anything, and only those are written`()
        async throws
    {
        try await QueueFixture.withGatewaysOfLedger(partitions: 4) { fixture async throws in
            let queue = fixture.queue()
            try await queue.applyLimits()
            try await fixture.redis("DEL", .string(fixture.keyspace[2].limits))
            try await fixture.redis("HSET", .string(fixture.keyspace[3].limits), "captures_max", 7)
            let begun = try await queue.beginRestoration(of: 2, mark: .numbered(1))
            #expect(begun == .restoring(.numbered(1)))
            let most = [fixture.configuration.capturesMax / 4, fixture.configuration.bytesPerDeviceMax, 4]
            let found = try await fixture.redis(
                "HMGET", .string(fixture.keyspace[2].limits), "captures_max", "device_bytes_max", "partitions")
            #expect(found.array?.map(\.int) == most)
            #expect(try await fixture.redis("HGET", .string(fixture.keyspace[3].limits), "captures_max").int == 7)
        }
    }

    /// As with dead letters that fill it: the ledger's other duties wait for the restoration.
    @Test func `a queue that has lost nothing is restored while its server is full`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            try await queue.applyLimits()
            try await queue.markRestored(1)
            try await Loss.functionsLoadedAgain.happen(to: fixture)
            try await fixture.redis("CONFIG", "SET", "maxmemory", "1")
            try await queue.markRestored(2)
            #expect(try await queue.restorations() == [.restored(.numbered(2))])
        }
    }

    @Test func `a queue after a loss is restored by several at once under one mark`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(1))
            #expect(try await queue.beginRestoration(of: 0, mark: .numbered(2)) == .restoring(.numbered(1)))
            #expect(try await queue.finishRestoration(of: 0, mark: .numbered(2)) == .restoring(.numbered(1)))
            #expect(try await queue.finishRestoration(of: 0, mark: .numbered(1)) == .restored(.numbered(1)))
        }
    }
}
