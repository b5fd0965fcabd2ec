import AppAttest
import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureStore
import NIOCore
import Synchronization
import TestSupport
import Testing

@Suite("Many lanes of a lost worker", .timeLimit(.minutes(2)))
struct TakeOverTurnsTests {
    /// Takes a while for each batch, counts them, and has something done in the middle of the second.
    private final class SlowStore: ForwardingStore {
        let memory: MemoryCaptureStore
        private let state = Mutex((batches: 0, settled: [CaptureID: Int]()))
        private let act: @Sendable () async throws -> Void

        init(_ memory: MemoryCaptureStore, act: @escaping @Sendable () async throws -> Void) {
            (self.memory, self.act) = (memory, act)
        }

        /// The number of the batch in which a capture was settled.
        func batch(of capture: CaptureID) -> Int? { state.withLock { $0.settled[capture] } }

        var batches: Int { state.withLock { $0.batches } }

        func settle(_ batch: [ExaminedCapture], policy: CounterPolicy) async throws(StoreError) -> [SettledCapture] {
            let number = state.withLock { state in
                state.batches += 1
                for capture in batch { state.settled[capture.job.id] = state.batches }
                return state.batches
            }
            do {
                if number == 2 { try await act() }
                try await letTimePass(.milliseconds(20))
            } catch {
                throw StoreError(.refused, "\(error)")
            }
            return try await memory.settle(batch, policy: policy)
        }
    }

    @Test func `many lanes of a lost worker do not keep another device's capture waiting until all of them are worked`()
        async throws
    {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        let bundles = MemoryBundleStore()
        var maker = SubmissionMaker(seed: 84)
        @Sendable func enqueue(_ submission: CaptureSubmission) async throws {
            let media = CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2]))
            try await bundles.put(media, of: submission)
            #expect(try await queue.enqueue(submission) == .accepted)
        }
        let left = (0..<400).map { _ in maker.submission(of: maker.device(), bundleStore: .memory) }
        for submission in left { try await enqueue(submission) }
        let lost = try await queue.worker("lost").claim(lanesMax: 400, capturesPerLaneMax: 1, wait: .zero)
        #expect(lost.count == 400)
        time.advance(by: .seconds(10))

        let lone = maker.submission(of: maker.device(), bundleStore: .memory)
        let store = SlowStore(MemoryCaptureStore(time: time.source)) { try await enqueue(lone) }
        let app = try #require(AppID("ABCDE12345.com.example.app"))
        let worker = CaptureWorker(
            queue: queue, bundles: bundles, store: store, configuration: WorkerConfiguration(appIDs: [app]),
            time: time.source, logger: .quiet)
        let running = Task { try await worker.run() }
        try await eventually { left.allSatisfy { store.batch(of: $0.id) != nil } && store.batch(of: lone.id) != nil }
        let batch = try #require(store.batch(of: lone.id))
        // Five fit into one turn.
        #expect(batch > 2 && batch <= 10, "queued during batch 2, settled in batch \(batch) of \(store.batches)")
        #expect(store.batches <= 40, "sixteen captures to a transaction")
        running.cancel()
        try await running.value
    }
}
