import CaptureModel
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("A lane that lapses while a batch does not end", .timeLimit(.minutes(1)))
struct StuckRoundTests {
    /// A record that does not answer for one capture until it is told to.
    private final class StuckStore: ForwardingStore {
        let memory = MemoryCaptureStore(time: ManualTime().source)
        let asked = AsyncStream<Void>.makeStream()
        let released = AsyncStream<Void>.makeStream()
        private let stuck: CaptureID

        init(at stuck: CaptureID) { self.stuck = stuck }

        func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
            if captures.contains(stuck) {
                asked.continuation.yield()
                for await _ in released.stream { break }
            }
            return try await memory.results(of: captures)
        }
    }

    /// A queue that counts how often somebody asked for lapsed lanes, and heard of some.
    private final class WatchedQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue
        let looks = Mutex(0)
        let heard = Mutex(0)

        init(_ memory: MemoryCaptureQueue) { self.memory = memory }

        func hasLapsedLanes() async throws(QueueError) -> Bool {
            looks.withLock { $0 += 1 }
            let hasAny = try await memory.hasLapsedLanes()
            if hasAny { heard.withLock { $0 += 1 } }
            return hasAny
        }
    }

    @Test
    func `a lane that lapses beside a long batch holds up nobody else, and is taken over when the batch has ended`()
        async throws
    {
        let (time, clock) = (ManualTime(), ManualTime())
        let queue = WatchedQueue(MemoryCaptureQueue(time: time.source))
        var maker = SubmissionMaker(seed: 80)
        // There are no bytes of any: each becomes a dead letter once the record was asked for its result.
        let captures = (0..<3).map { _ in maker.submission(of: maker.device(), bundleStore: .memory) }
        let (stuck, lost, free) = (captures[0], captures[1], captures[2])
        #expect(try await queue.enqueue(lost) == .accepted)
        #expect(try await queue.memory.worker("lost").claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).count == 1)
        #expect(try await queue.enqueue(stuck) == .accepted)

        let store = StuckStore(at: stuck.id)
        try await withWorker(
            of: queue, bundles: MemoryBundleStore(), store: store, now: time.source, clock: clock
        ) {
            $0.takeOverInterval = .milliseconds(5)
        } _: {
            for await _ in store.asked.stream { break }

            // Before that time after the first answer a worker takes nothing over.
            try await eventually { queue.looks.withLock { $0 } > 1 }
            clock.advance(by: TakeOverPace.patience)
            time.advance(by: .seconds(10))
            try await eventually { queue.heard.withLock { $0 } > 0 }
            #expect(try await queue.enqueue(free) == .accepted)
            try await eventually { try await queue.deadLetter(free.id) != nil }
            #expect(try await queue.deadLetter(lost.id) == nil, "nothing is taken over beside a batch")

            store.released.continuation.finish()
            try await eventually { try await queue.deadLetter(lost.id) != nil }
        }
    }
}
