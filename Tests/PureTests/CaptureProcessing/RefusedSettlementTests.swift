import CaptureModel
import CaptureQueue
import CoreMetrics
import Observability
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

    /// Refuses every settlement of one device, and takes the others.
    private struct PickyQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue
        let refused: DeviceID

        func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] {
            var outcomes: [SettleOutcome] = []
            for settlement in settlements {
                if settlement.device == refused {
                    outcomes.append(.failed(QueueError(.refused, "WRONGTYPE")))
                } else {
                    outcomes += try await memory.settle([settlement])
                }
            }
            return outcomes
        }
    }

    /// Renewed, they would keep everybody from their captures for as long as a lease may be at the most.
    @Test func `a settlement that the queue refuses leaves its lanes to others as soon as their leases are over`()
        async throws
    {
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

    @Test func `a settlement that the queue refuses for one lane hides nothing of the others`() async throws {
        let (time, recorder, registry) = (ManualTime(), LogRecorder(), PrometheusRegistry())
        var maker = SubmissionMaker(seed: 84)
        // There are no bytes of either: they become dead letters once they are settled.
        let captures = (0..<2).map { _ in maker.submission(of: maker.device(), bundleStore: .memory) }
        let queue = PickyQueue(memory: MemoryCaptureQueue(time: time.source), refused: captures[0].device)
        for capture in captures { #expect(try await queue.enqueue(capture) == .accepted) }
        try await withMetricsFactory(registry) { () async throws in
            try await withWorker(
                of: queue, bundles: MemoryBundleStore(), store: MemoryCaptureStore(time: time.source),
                now: time.source, logger: recorder.logger
            ) {
                try await eventually {
                    Set(recorder.lines).isSuperset(of: [
                        "error capture is a dead letter", "error lanes are left to their leases",
                    ])
                }
            }
        }
        #expect(recorder.lines.count { $0.hasPrefix("error") } == 2)
        #expect(recorder.values(of: "capture_id") == ["\(captures[1].id)"])
        #expect(recorder.values(of: "lanes") == ["1"])
        let metrics = try StrictExposition(registry.render())
        #expect(metrics.value("capture_dead_letters_total", ["reason": "BUNDLE_MISSING"]) == "1")
    }
}
