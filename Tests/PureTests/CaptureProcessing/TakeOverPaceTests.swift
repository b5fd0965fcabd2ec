import AppAttest
import CaptureModel
import CaptureQueue
import Synchronization
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("A worker that was started while Redis was away", .timeLimit(.minutes(1)))
struct TakeOverPaceTests {
    @Test func `a worker counts from the queue's first answer`() {
        let start = ContinuousClock.now
        let passed = Mutex(Duration.zero)
        let pace = TakeOverPace { start + passed.withLock { $0 } }
        passed.withLock { $0 = .seconds(60) }
        #expect(!pace.isOpen, "it has not heard of the queue yet")
        pace.noteAnswer()
        #expect(!pace.isOpen)
        passed.withLock { $0 += TakeOverPace.patience - .milliseconds(1) }
        pace.noteAnswer()
        #expect(!pace.isOpen)
        passed.withLock { $0 += .milliseconds(1) }
        #expect(pace.isOpen)
    }

    /// A queue that notes when it was asked for lapsed lanes, and for one of them, for the first time.
    private final class TimedQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue
        let times = Mutex<(looked: ContinuousClock.Instant?, took: ContinuousClock.Instant?)>((nil, nil))
        let takeOvers = Mutex(0)

        init(_ memory: MemoryCaptureQueue) { self.memory = memory }

        func hasLapsedLanes() async throws(QueueError) -> Bool {
            times.withLock { $0.looked = $0.looked ?? ContinuousClock.now }
            return try await memory.hasLapsedLanes()
        }

        func takeOver() async throws(QueueError) -> Lease? {
            times.withLock { $0.took = $0.took ?? ContinuousClock.now }
            takeOvers.withLock { $0 += 1 }
            return try await memory.takeOver()
        }
    }

    @Test func `a worker leaves leases to the workers that had them, for as long as those take to come back`()
        async throws
    {
        let time = ManualTime()
        let queue = TimedQueue(MemoryCaptureQueue(time: time.source))
        var maker = SubmissionMaker(seed: 83)
        // There are no bytes of it: it becomes a dead letter as soon as it is worked.
        let capture = maker.submission(of: maker.device(), bundleStore: .memory)
        #expect(try await queue.enqueue(capture) == .accepted)
        let held = try await queue.memory.worker("other").claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero)
        #expect(held.count == 1)
        time.advance(by: .seconds(10))

        let app = try #require(AppID("ABCDE12345.com.example.app"))
        let worker = CaptureWorker(
            queue: queue, bundles: MemoryBundleStore(), store: MemoryCaptureStore(time: time.source),
            configuration: WorkerConfiguration(appIDs: [app]), now: time.source, logger: .quiet)
        let running = Task { try await worker.run() }
        try await eventually { try await queue.deadLetter(capture.id) != nil }
        running.cancel()
        try await running.value
        let looked = try #require(queue.times.withLock { $0.looked })
        let took = try #require(queue.times.withLock { $0.took })
        #expect(took - looked >= TakeOverPace.patience)
        #expect(queue.takeOvers.withLock { $0 } == 2, "once more than there are lanes, and not again")
    }
}
