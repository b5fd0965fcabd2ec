import CaptureModel
import CaptureQueue
import CaptureStore
import NIOCore
import Synchronization
import TestSupport
import Testing

@Suite("A device with a backlog", .timeLimit(.minutes(5)))
struct FairnessTests {
    /// Counts the batches that are settled, and has something done in the middle of them.
    private final class CountingStore: ForwardingStore {
        let memory: MemoryCaptureStore
        private let state = Mutex((batches: 0, settled: [CaptureID: Int]()))
        private let atBatch: Int
        private let act: @Sendable () async throws -> Void

        init(_ memory: MemoryCaptureStore, atBatch: Int, act: @escaping @Sendable () async throws -> Void) {
            (self.memory, self.atBatch, self.act) = (memory, atBatch, act)
        }

        /// The number of the batch in which a capture was settled.
        func batch(of capture: CaptureID) -> Int? { state.withLock { $0.settled[capture] } }

        /// How many captures were settled until a batch was.
        func settled(through batch: Int) -> Int { state.withLock { $0.settled.values.count { $0 <= batch } } }

        func settle(_ batch: [ExaminedCapture], policy: CounterPolicy) async throws(StoreError) -> [SettledCapture] {
            let number = state.withLock { state in
                state.batches += 1
                for capture in batch { state.settled[capture.job.id] = state.batches }
                return state.batches
            }
            if number == atBatch {
                do { try await act() } catch { throw StoreError(.refused, "\(error)") }
            }
            return try await memory.settle(batch, policy: policy)
        }
    }

    @Test(arguments: [ConformingQueue.memory, .redis])
    func `a backlog of ten thousand captures lets another device's lone one through within a few batches`(
        kind: ConformingQueue
    ) async throws {
        try await kind.with(capturesMax: 20_000, capturesPerDeviceMax: 20_000) { fixture in
            try await run(fixture.worker("worker"))
        }
    }

    private func run(_ queue: some CaptureQueue) async throws {
        let bundles = MemoryBundleStore(named: .filesystem)
        var maker = SubmissionMaker(seed: testSeed("fairness"))
        let flooding = maker.device()
        @Sendable func enqueue(_ submission: CaptureSubmission) async throws {
            let media = CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2]))
            try await bundles.put(media, of: submission)
            #expect(try await queue.enqueue(submission) == .accepted)
        }
        for _ in 0..<100 {
            let submissions = (0..<100).map { _ in maker.submission(of: flooding, bundleStore: .filesystem) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for submission in submissions { group.addTask { try await enqueue(submission) } }
                try await group.waitForAll()
            }
        }
        let lone = maker.submission(of: maker.device(), bundleStore: .filesystem)

        let time = ManualTime()
        let store = CountingStore(MemoryCaptureStore(time: time.source), atBatch: 20) { try await enqueue(lone) }
        try await withWorker(of: queue, bundles: bundles, store: store, now: time.source) {
            try await eventually { store.batch(of: lone.id) != nil }
            let batch = try #require(store.batch(of: lone.id))
            #expect(batch > 20 && batch <= 24, "settled in batch \(batch), and queued during batch 20")
            #expect(store.settled(through: batch) < 5000, "the backlog was still there")
        }
    }
}
