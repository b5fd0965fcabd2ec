import CaptureModel
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@Suite("A result that comes just before its capture is given up", .timeLimit(.minutes(1)))
struct LateResultTests {
    /// A record into which another worker writes a capture's result right after it was asked for it.
    private final class LateStore: ForwardingStore {
        let memory = MemoryCaptureStore(time: ManualTime().source)
        private let late: Mutex<ExaminedCapture?>

        init(late: ExaminedCapture) { self.late = Mutex(late) }

        func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
            let found = try await memory.results(of: captures)
            if let late = late.withLock({ $0.take() }) { _ = try await memory.settle([late], policy: .strict) }
            return found
        }
    }

    @Test func `a result that comes just before its capture is given up is found, and the capture is no dead letter`()
        async throws
    {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 81)
        // There are no bytes of it.
        let submission = maker.submission(of: maker.device(), bundleStore: .memory)
        #expect(try await queue.enqueue(submission) == .accepted)
        let job = CaptureJob(
            submission: submission, receivedAt: time.now, claimedAt: time.now, attempts: 1, isRedriven: false)
        let store = LateStore(
            late: ExaminedCapture(
                job: job, clientDataHash: .hash([]), checks: [],
                outcome: .rejected(.signatureInvalid, device: nil, counter: nil), capturedAt: nil,
                verifiedAt: time.now))
        try await withWorker(of: queue, bundles: MemoryBundleStore(), store: store, now: time.source) {
            try await eventually { try await queue.status(of: [submission.id])[0]?.state == .rejected }
            #expect(try await queue.status(of: [submission.id])[0]?.reason == .signatureInvalid)
            #expect(try await queue.deadLetter(submission.id) == nil)
        }
    }
}
