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

    /// A queue that counts how often it was asked whether lanes have lapsed, and for one of them.
    private final class CountingQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue
        let looks = Mutex(0)
        let takeOvers = Mutex(0)

        init(_ memory: MemoryCaptureQueue) { self.memory = memory }

        func hasLapsedLanes() async throws(QueueError) -> Bool {
            looks.withLock { $0 += 1 }
            return try await memory.hasLapsedLanes()
        }

        func takeOver() async throws(QueueError) -> Lease? {
            takeOvers.withLock { $0 += 1 }
            return try await memory.takeOver()
        }
    }

    @Test func `a worker leaves leases to the workers that had them, for as long as those take to come back`()
        async throws
    {
        let (time, clock) = (ManualTime(), ManualTime())
        let queue = CountingQueue(MemoryCaptureQueue(time: time.source))
        var maker = SubmissionMaker(seed: 83)
        // There are no bytes of it: it becomes a dead letter as soon as it is worked.
        let capture = maker.submission(of: maker.device(), bundleStore: .memory)
        #expect(try await queue.enqueue(capture) == .accepted)
        let held = try await queue.memory.worker("other").claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero)
        #expect(held.count == 1)
        time.advance(by: .seconds(10))

        var configuration = WorkerConfiguration(appIDs: [try #require(AppID("ABCDE12345.com.example.app"))])
        configuration.takeOverInterval = .milliseconds(5)
        let worker = CaptureWorker(
            queue: queue, bundles: MemoryBundleStore(), store: MemoryCaptureStore(time: time.source),
            configuration: configuration, time: time.source, now: { clock.monotonic }, logger: .quiet)
        let running = Task { try await worker.run() }
        // The first answer begins the time, however soon the next ones come.
        try await eventually { queue.looks.withLock { $0 } > 1 }
        clock.advance(by: TakeOverPace.patience - .milliseconds(1))
        let looks = queue.looks.withLock { $0 }
        try await eventually { queue.looks.withLock { $0 } > looks + 1 }
        #expect(queue.takeOvers.withLock { $0 } == 0)
        clock.advance(by: .milliseconds(1))
        try await eventually { try await queue.deadLetter(capture.id) != nil }
        running.cancel()
        try await running.value
        #expect(queue.takeOvers.withLock { $0 } == 2, "once more than there are lanes, and not again")
    }
}
