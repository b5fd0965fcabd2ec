@testable import CaptureProcessing
import CaptureModel
import CaptureQueue
import CaptureStore
import NIOCore
import Synchronization
import TestSupport
import Testing

@Suite("A conflict while results are looked up", .timeLimit(.minutes(1)))
struct RecallConflictTests {
    /// A record that is locked where a capture's result is asked for.
    private final class LockedResults: ForwardingStore {
        let memory = MemoryCaptureStore(time: ManualTime().source)
        /// The clock that a wait for a lock moves on.
        let time = ManualTime()
        private let areLocked: @Sendable ([CaptureID]) -> Bool
        /// How long a lock is waited for.
        private let wait: Duration
        let calls = Mutex(0)

        init(waiting wait: Duration = .zero, areLocked: @escaping @Sendable ([CaptureID]) -> Bool) {
            self.areLocked = areLocked
            self.wait = wait
        }

        func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
            calls.withLock { $0 += 1 }
            guard areLocked(captures) else { return try await memory.results(of: captures) }
            time.advance(by: wait)
            throw StoreError(.conflict, "canceling statement due to lock timeout", serverCode: "55P03")
        }
    }

    private func recall(
        _ jobs: [CaptureJob], from store: LockedResults, hold: Duration, conflictsMax: Int = Patience.conflictsMax
    ) async -> Recall {
        await Recall.of(jobs, from: store, Patience.toRecord(hold: hold, by: store.time), conflictsMax: conflictsMax)
    }

    @Test func `a conflict of a look-up takes no longer than a batch is held, and is the fault of no capture`() async {
        let jobs = Work.captures(8, seed: 21).map(\.job)
        let store = LockedResults(waiting: .milliseconds(20)) { _ in true }
        let recall = await recall(jobs, from: store, hold: .milliseconds(100))
        #expect(Set(recall.faults.keys) == Set(jobs.map(\.id)))
        #expect(recall.faults.values.allSatisfy(\.isConflict) && recall.extent == .late)
        // No more of them begin within the hold.
        #expect(store.calls.withLock { $0 } == 5)
    }

    @Test func `a conflict of a look-up keeps no other capture from being looked up as long as there is time`() async {
        let jobs = Work.captures(8, seed: 22).map(\.job)
        let store = LockedResults { $0.contains(jobs[3].id) }
        let recall = await recall(jobs, from: store, hold: .seconds(600))
        #expect(Array(recall.faults.keys) == [jobs[3].id] && recall.extent == .whole)
        #expect(recall.faults[jobs[3].id]?.isConflict == true)
    }

    @Test func `a conflict of a look-up that a suspect meets is not tried again`() async {
        let jobs = Work.captures(1, seed: 23).map(\.job)
        let store = LockedResults { _ in true }
        let recall = await recall(jobs, from: store, hold: .seconds(600), conflictsMax: 0)
        #expect(recall.faults.count == 1)
        #expect(store.calls.withLock { $0 } == 1)
    }

    /// Decided, it would make the counter of the one before it stale once that one's bytes have come again.
    @Test func `a conflict of a look-up keeps every later capture of the device undecided`() async throws {
        let time = ManualTime()
        let (queue, bundles) = (MemoryCaptureQueue(time: time.source), MemoryBundleStore())
        var maker = SubmissionMaker(seed: 85)
        let device = maker.device()
        let media = CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2]))
        let captures = (0..<2).map { _ in maker.submission(of: device, bundleStore: .memory, media: media) }
        // Of the first there are no bytes.
        try await bundles.put(media, of: captures[1])
        for capture in captures { #expect(try await queue.enqueue(capture) == .accepted) }
        let store = LockedResults { _ in true }
        try await withWorker(of: queue, bundles: bundles, store: store, now: time.source) {
            try await eventually { try await queue.status(of: [captures[0].id])[0]?.state == .retrying }
        }
        #expect(try await store.memory.results(of: captures.map(\.id)).isEmpty)
        #expect(try await queue.status(of: [captures[1].id])[0]?.state == .queued)
    }
}
