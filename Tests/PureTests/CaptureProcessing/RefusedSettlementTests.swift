import CaptureModel
import CaptureQueue
import Synchronization
import TestSupport
import Testing

@Suite("A settlement that the queue refuses", .timeLimit(.minutes(1)))
struct RefusedSettlementTests {
    /// Refuses the first settlement for good, and notes whose leases are given up.
    private final class RefusingQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue
        private let state = Mutex((isFirst: true, abandoned: [LaneToken]()))

        init(_ memory: MemoryCaptureQueue) { self.memory = memory }

        var abandoned: [LaneToken] { state.withLock { $0.abandoned } }

        func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] {
            let isFirst = state.withLock { state in
                defer { state.isFirst = false }
                return state.isFirst
            }
            guard !isFirst else { throw QueueError(.refused, "NOPERM") }
            return try await memory.settle(settlements)
        }

        func abandon(_ tokens: [LaneToken]) {
            state.withLock { $0.abandoned += tokens }
            memory.abandon(tokens)
        }
    }

    /// Renewed, they would keep everybody from their captures for as long as a lease may be at the most.
    @Test func `leaves its lanes to others as soon as their leases are over`() async throws {
        let (time, recorder) = (ManualTime(), LogRecorder())
        let queue = RefusingQueue(MemoryCaptureQueue(time: time.source))
        var maker = SubmissionMaker(seed: 83)
        // There are no bytes of it: it becomes a dead letter once it is settled.
        let capture = maker.submission(of: maker.device(), bundleStore: .memory)
        #expect(try await queue.enqueue(capture) == .accepted)
        try await withWorker(
            of: queue, bundles: MemoryBundleStore(), store: MemoryCaptureStore(time: time.source), now: time.source,
            logger: recorder.logger
        ) {
            try await eventually { recorder.lines.contains("error lanes are left to their leases") }
            #expect(queue.abandoned.count == 1)
            // As the heartbeat of a queue in Redis does by itself.
            time.advance(by: .seconds(4))
            queue.memory.renewLeases()
            time.advance(by: .seconds(4))
            try await eventually { try await queue.deadLetter(capture.id) != nil }
        }
        #expect(recorder.lines.count { $0 == "error lanes are left to their leases" } == 1)
    }
}
