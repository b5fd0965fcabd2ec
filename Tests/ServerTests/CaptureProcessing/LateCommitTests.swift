import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureStore
import NIOCore
import TestSupport
import Testing

/// A worker stands still with a capture in hand, and wakes when that was given up.
@Suite("A capture that was given up while its worker stood still", .timeLimit(.minutes(2)))
struct LateCommitTests {
    @Test(arguments: [ConformingQueue.memory, .redis], [true, false])
    func `a capture given up while its worker stood still has the mark of a redriven one, in queue and record`(
        kind: ConformingQueue, wasPutBack: Bool
    ) async throws {
        try await kind.with { fixture in
            try await run(fixture.worker("slow"), fixture.worker("other"), fixture, wasPutBack: wasPutBack)
        }
    }

    private func run(
        _ queue: some CaptureQueue, _ other: some CaptureQueue, _ fixture: Conformance, wasPutBack: Bool
    ) async throws {
        let bundles = MemoryBundleStore(named: .filesystem)
        let capture = SubmissionMaker.submission(seed: 2, bundleStore: .filesystem)
        try await bundles.put(
            CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2])), of: capture)
        #expect(try await queue.enqueue(capture) == .accepted)
        let time = ManualTime()
        let store = ActingStore(MemoryCaptureStore(time: time.source), before: .devices) {
            try await fixture.passTime()
            let lease = try #require(try await other.takeOver())
            #expect(try await other.settle([lease.burying()]) == [.settled])
            if wasPutBack { #expect(try await other.redrive(capture.id)) }
            try await fixture.renew(queue)
        }
        try await withWorker(of: queue, bundles: bundles, store: store, now: time.source) {
            // Nobody of its own comes first.
            $0.pipelines = 1
        } _: {
            try await eventually { try await queue.status(of: [capture.id])[0]?.state == .rejected }
            #expect(try await queue.status(of: [capture.id])[0]?.isRedriven == true)
            #expect(try await store.results(of: [capture.id])[capture.id]?.isRedriven == true)
        }
    }
}
