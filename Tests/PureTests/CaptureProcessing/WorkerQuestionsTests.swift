import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureStore
import NIOCore
import Synchronization
import TestSupport
import Testing

/// With 1,024 partitions, asking all of them about a batch would be hundreds of round trips.
@Suite("A worker's questions about captures whose device it knows", .timeLimit(.minutes(1)))
struct WorkerQuestionsTests {
    /// A queue whose leases may be lost, and whose captures were given up: only their devices' own partitions tell it.
    private struct GivenUpQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue

        func mayBeLost(_ tokens: [LaneToken]) -> Bool { true }

        func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
            throw QueueError(.refused, "a partition refuses")
        }
        func status(of captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [JobStatus?] {
            captures.map { capture, device in
                JobStatus(
                    id: capture, device: device, state: .failed, attempts: 1, reason: nil, fault: nil,
                    receivedAt: Timestamp(millisecondsSince1970: 0), claimedAt: nil, settledAt: nil,
                    nextAttemptAt: nil)
            }
        }
    }

    /// A queue that loses the answer to the first settlement: only the devices' own partitions tell that it was done.
    private final class LossyQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue
        private let isFirst = Mutex(true)

        init(_ memory: MemoryCaptureQueue) { self.memory = memory }

        func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] {
            let outcomes = try await memory.settle(settlements)
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard !isFirst else { throw QueueError(.outcomeUnknown, "the connection was lost") }
            return outcomes
        }

        func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
            throw QueueError(.refused, "a partition refuses")
        }
        func status(of captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [JobStatus?] {
            let found = try await memory.status(of: captures.map(\.capture))
            return zip(captures, found).map { capture, status in status?.device == capture.device ? status : nil }
        }
    }

    @Test func `a worker whose leases may be lost asks each device's own partition which captures were given up`()
        async throws
    {
        let time = ManualTime()
        let queue = GivenUpQueue(memory: MemoryCaptureQueue(time: time.source))
        let (bundles, store) = (MemoryBundleStore(), MemoryCaptureStore(time: time.source))
        let capture = SubmissionMaker.submission(seed: 87, bundleStore: .memory)
        try await bundles.put(
            CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2])), of: capture)
        #expect(try await queue.enqueue(capture) == .accepted)
        try await withWorker(of: queue, bundles: bundles, store: store, now: time.source) {
            try await eventually { try await queue.memory.status(of: capture.id)?.state == .rejected }
        }
        #expect(try await store.results(of: [capture.id])[capture.id]?.isRedriven == true)
    }

    @Test func `a worker whose settlement had no answer asks the device's own partition whether it was done`()
        async throws
    {
        let (time, recorder) = (ManualTime(), LogRecorder())
        let queue = LossyQueue(MemoryCaptureQueue(time: time.source))
        var maker = SubmissionMaker(seed: 88)
        // There are no bytes of it: it becomes a dead letter.
        let capture = maker.submission(of: maker.device(), bundleStore: .memory)
        #expect(try await queue.enqueue(capture) == .accepted)
        try await withWorker(
            of: queue, bundles: MemoryBundleStore(), store: MemoryCaptureStore(time: time.source), now: time.source,
            logger: recorder.logger
        ) {
            try await eventually { recorder.lines.contains("error capture is a dead letter") }
        }
        #expect(!recorder.lines.contains { $0.contains("taken over") }, "\(recorder.lines)")
    }
}
