import CaptureModel
import CaptureQueue
import CaptureStore
import ChaosKit
import Foundation
import Logging
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("A settlement whose answer is lost", .timeLimit(.minutes(2)))
struct LostAnswerTests {
    /// Lends a queue to which the way can be broken, its client, and the way.
    private func with(
        _ body: (QueueFixture, RedisCaptureQueue, RedisClient, Link) async throws -> Void
    ) async throws {
        let server = try await PrivateRedis.start()
        let link = try await Link.open(to: server.directory.appendingPathComponent("redis.sock").path)
        try await QueueFixture.with(server) { fixture in
            try await RedisFixture.withClient("redis://127.0.0.1:\(link.port)") { redis in
                let queue = RedisCaptureQueue(
                    client: redis, keyspace: fixture.keyspace, configuration: fixture.configuration, consumer: "a",
                    logger: .quiet)
                try await body(fixture, queue, redis, link)
            }
        }
        await link.close()
        try await server.stop()
    }

    /// Has a settlement and a claim of one worker end without an answer, before they reach the server; returns the lane.
    private func lost(
        _ fixture: QueueFixture, _ queue: RedisCaptureQueue, _ redis: RedisClient, _ link: Link
    ) async throws -> Lease {
        var maker = SubmissionMaker(seed: 60)
        while true {
            try await fixture.upload(maker.submission(of: maker.device()))
            let lease = try await queue.claimOne()
            link.stall([.toServer])
            let settling = Task { try await queue.settle([lease.settling()]) }
            let claiming = Task { try await queue.claimNow() }
            try await eventually { redis.outstandingCommands >= 2 }
            link.cut()
            link.restore()
            switch await (settling.result, claiming.result) {
            case (.failure, .failure): return lease
            // A busy machine may have begun one behind the cut, with another command under way: once more, then.
            case (.failure, .success): #expect(try await queue.settle([lease.settling()]) == [.settled])
            case (.success, _): continue
            }
        }
    }

    @Test
    func `a settlement without an answer keeps its lane with its worker: no claim takes it until it is tried again`()
        async throws
    {
        try await with { fixture, queue, redis, link in
            // From there on the worker looks for tokens that it was given and has not heard of.
            let lease = try await lost(fixture, queue, redis, link)
            #expect(try await queue.claimNow().isEmpty)
            #expect(queue.holds(lease.token))
            #expect(try await queue.settle([lease.settling()]) == [.settled])
            #expect(!queue.holds(lease.token))
        }
    }

    @Test func `a lane that is given up is another's, or the same worker's once more`() async throws {
        try await with { fixture, queue, redis, link in
            let lease = try await lost(fixture, queue, redis, link)
            queue.abandon([lease.token])
            #expect(try await queue.claimOne().ids == lease.ids)
        }
    }

    @Test func `a settlement whose answer is lost is the worker's own success, and told as such`() async throws {
        try await with { fixture, queue, _, link in
            var maker = SubmissionMaker(seed: 62)
            // Of this one there are no bytes: it becomes a dead letter.
            let capture = maker.submission(of: maker.device(), bundleStore: .filesystem)
            #expect(try await fixture.queue("gateway").enqueue(capture) == .accepted)
            let (time, recorder) = (ManualTime(), LogRecorder(from: .notice))
            // The last that it asks before it settles: the server does that, and its answer stays on the way.
            let store = ActingStore(MemoryCaptureStore(time: time.source), before: .results) {
                link.stall([.toProgram])
            }
            try await withWorker(
                of: queue, bundles: MemoryBundleStore(named: .filesystem), store: store, now: time.source,
                logger: recorder.logger
            ) {
                try await eventually { try await fixture.queue().deadLetter(capture.id) != nil }
                link.cut()
                link.restore()
                try await eventually { recorder.lines.contains("error capture is a dead letter") }
                #expect(!recorder.lines.contains { $0.contains("taken over") }, "\(recorder.lines)")
                #expect(try await fixture.queue().deadLetter(capture.id)?.status.attempts == 1)
            }
        }
    }
}
