import CaptureModel
import CaptureProcessing
import CaptureQueue
import NIOCore
import TestSupport
import Testing

@Suite("Bytes that are replaced while a worker has their capture", .timeLimit(.minutes(1)))
struct ReplacedBytesTests {
    /// Bytes that are replaced, or changed once more, as soon as a worker has read them.
    private final class ReplacedBundles: ForwardingBundles {
        let memory = MemoryBundleStore()
        private let next: CaptureMedia

        init(next: CaptureMedia) { self.next = next }

        func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] {
            let fetched = try await memory.fetch(submissions)
            for submission in submissions { try await memory.replace(next, of: submission) }
            return fetched
        }
    }

    private static let good = CaptureMedia(photo: ByteBuffer(string: "photo"), depth: ByteBuffer(string: "depth"))

    /// The bundle may have been sent again and answered with 202: nobody would send it a third time.
    @Test(arguments: [("photo", CaptureState.rejected), ("fhoto", .failed)])
    func `a worker gives a capture up for changed bytes only if it reads such bytes a second time`(
        photo: String, state: CaptureState
    ) async throws {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        let next = CaptureMedia(photo: ByteBuffer(string: photo), depth: Self.good.depth)
        let bundles = ReplacedBundles(next: next)
        let capture = SubmissionMaker.submission(seed: 86, bundleStore: .memory, media: Self.good)
        let changed = CaptureMedia(photo: ByteBuffer(string: "xxxxx"), depth: Self.good.depth)
        try await bundles.put(changed, of: capture)
        #expect(try await queue.enqueue(capture) == .accepted)
        try await withWorker(
            of: queue, bundles: bundles, store: MemoryCaptureStore(time: time.source), now: time.source,
            configure: { $0.attemptsMax = 1 }
        ) {
            try await eventually { try await queue.status(of: [capture.id])[0]?.state.isWaiting == false }
        }
        let status = try #require(try await queue.status(of: [capture.id])[0])
        // Its photo is no picture.
        #expect(status.state == state && status.attempts == 1)
        let reason = try await queue.deadLetter(capture.id)?.status.reason
        #expect(reason == (state == .failed ? Reason.bundleCorrupt : nil))
    }
}
