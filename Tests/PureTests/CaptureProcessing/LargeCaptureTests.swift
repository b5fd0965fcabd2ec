import CaptureModel
import CaptureQueue
import CaptureStore
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("A capture that is larger than the settings allow", .timeLimit(.minutes(1)))
struct LargeCaptureTests {
    /// Notes which captures it is asked for.
    private final class AskedBundles: ForwardingBundles {
        let memory = MemoryBundleStore()
        private let noted = Mutex<Set<CaptureID>>([])

        var asked: Set<CaptureID> { noted.withLock { $0 } }

        func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] {
            noted.withLock { $0.formUnion(submissions.map(\.id)) }
            return try await memory.fetch(submissions)
        }
    }

    /// Fetched, it may be more than an answer may have: it would keep its lane for minutes, and end with another fault.
    ///
    /// The words have no size of its own: dead letters are grouped by them.
    @Test(arguments: [
        ((10 << 20) + 1, 2, "the photo is larger than capture.photoBytesMax (10485760)"),
        (3, (5 << 20) + 1, "the depth map is larger than capture.depthBytesMax (5242880)"),
    ])
    func `a capture that is too large is a dead letter at once without being fetched, and its lane goes on`(
        photo: Int, depth: Int, fault: String
    ) async throws {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        let bundles = AskedBundles()
        let media = CaptureMedia(photo: ByteBuffer(string: "photo"), depth: ByteBuffer(string: "depth"))
        var maker = SubmissionMaker(seed: 84)
        let device = maker.device()
        let large = maker.submission(of: device, photoBytes: photo, depthBytes: depth, bundleStore: .memory)
        let next = maker.submission(of: device, bundleStore: .memory, media: media)
        for capture in [large, next] {
            try await bundles.put(media, of: capture)
            #expect(try await queue.enqueue(capture) == .accepted)
        }
        let store = MemoryCaptureStore(time: time.source)
        try await withWorker(of: queue, bundles: bundles, store: store, now: time.source) {
            // Its photo is no picture.
            try await eventually { try await queue.status(of: [next.id])[0]?.state == .rejected }
        }
        let letter = try #require(try await queue.deadLetter(large.id))
        #expect(letter.status.reason == .internal && letter.status.attempts == 1)
        #expect(letter.status.fault == fault)
        #expect(bundles.asked == [next.id])
        #expect(bundles.memory.contains(large.id), "it may be put back once the setting is raised")
    }

    @Test func `a capture that is as large as it may be is not too large`() throws {
        let configuration = WorkerConfiguration(appIDs: [])
        var maker = SubmissionMaker(seed: 85)
        let device = maker.device()
        let (photo, depth) = (10 << 20, 5 << 20)
        let largest = maker.submission(of: device, photoBytes: photo, depthBytes: depth)
        #expect(configuration.excess(of: largest) == nil)
        for (photo, depth) in [(photo + 1, depth), (photo, depth + 1)] {
            let larger = maker.submission(of: device, photoBytes: photo, depthBytes: depth)
            #expect(configuration.excess(of: larger) != nil)
        }
    }

    @Test func `a capture that is too large is no dead letter where it has a result already`() async throws {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        let store = MemoryCaptureStore(time: time.source)
        let large = SubmissionMaker.submission(seed: 85, photoBytes: (10 << 20) + 1, bundleStore: .memory)
        #expect(try await queue.enqueue(large) == .accepted)
        let job = CaptureJob(
            submission: large, receivedAt: time.now, claimedAt: time.now, attempts: 1, isRedriven: false)
        let settled = ExaminedCapture(
            job: job, clientDataHash: .hash([]), checks: [],
            outcome: .rejected(.signatureInvalid, device: nil, counter: nil), capturedAt: nil, verifiedAt: time.now)
        _ = try await store.settle([settled], policy: .strict)
        try await withWorker(of: queue, bundles: MemoryBundleStore(), store: store, now: time.source) {
            try await eventually { try await queue.status(of: [large.id])[0]?.state == .rejected }
        }
        #expect(try await queue.deadLetter(large.id) == nil)
    }
}
