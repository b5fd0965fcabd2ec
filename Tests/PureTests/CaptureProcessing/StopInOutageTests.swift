import CaptureModel
import CaptureProcessing
import CaptureQueue
import TestSupport
import Testing
import Waiting

@Suite("A worker that is to stop while the queue is away", .timeLimit(.minutes(1)))
struct StopInOutageTests {
    /// Takes no lane back.
    private struct AwayQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue
        let asked = Latch()

        func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] {
            asked.open()
            throw QueueError(.unavailable, "connection refused")
        }
    }

    @Test func `a worker that is to stop while the queue is away tells which lanes it could not give back`()
        async throws
    {
        let (time, recorder) = (ManualTime(), LogRecorder())
        let queue = AwayQueue(memory: MemoryCaptureQueue(time: time.source))
        var maker = SubmissionMaker(seed: 86)
        // There are no bytes of it: its lane is given back at once, to make it a dead letter.
        let capture = maker.submission(of: maker.device(), bundleStore: .memory)
        #expect(try await queue.enqueue(capture) == .accepted)
        try await withWorker(
            of: queue, bundles: MemoryBundleStore(), store: MemoryCaptureStore(time: time.source), now: time.source,
            logger: recorder.logger
        ) {
            // It has no time to wait for the queue.
            $0.stopLimit = .zero
        } _: {
            try await queue.asked.waitUntilOpen()
        }
        #expect(recorder.lines.count { $0 == "error lanes are left to their leases" } == 1, "\(recorder.lines)")
        #expect(recorder.values(of: "lanes") == ["1"])
        #expect(recorder.lines.last == "info worker has stopped")
    }
}
