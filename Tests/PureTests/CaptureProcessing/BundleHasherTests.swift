import CaptureModel
import CaptureQueue
import struct Crypto.SHA256
import DeviceSimulator
import MultiBufferSHA256
import NIOCore
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite struct BundleHasherTests {
    private var maker = SubmissionMaker(seed: testSeed("bundle hasher"))

    private mutating func job(_ binding: Binding) -> ClaimedJob {
        let made = maker.submission(of: maker.device())
        let submission = CaptureSubmission(
            id: made.id, device: made.device, bundleDigest: made.bundleDigest, binding: binding,
            assertion: made.assertion, metadata: Array("{\"of\":\"\(made.id)\"}".utf8), photoDigest: made.photoDigest,
            depthDigest: made.depthDigest, photoBytes: made.photoBytes, depthBytes: made.depthBytes,
            receivedAt: made.receivedAt, traceParent: made.traceParent, bundleStore: made.bundleStore
        )
        let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        return .valid(
            CaptureJob(submission: submission, receivedAt: time, claimedAt: time, attempts: 1, isRedriven: false))
    }

    private mutating func bytes(_ most: Int) -> ByteBuffer {
        let count = Int.random(in: 0...most, using: &maker.generator)
        return ByteBuffer(bytes: (0..<count).map { _ in UInt8.random(in: 0...255, using: &maker.generator) })
    }

    /// The digests by swift-crypto, as the two bindings define them.
    private func expected(_ media: CaptureMedia, _ submission: CaptureSubmission) -> [SHA256Digest] {
        let (photo, depth) = (Array(media.photo.readableBytesView), Array(media.depth.readableBytesView))
        let digests = [photo, depth].map { SHA256Digest(SHA256.hash(data: $0)) }
        let metadata = SHA256Digest(SHA256.hash(data: submission.metadata))
        let signed =
            switch submission.binding {
            case .concatV1: SHA256Digest(SHA256.hash(data: photo + depth))
            case .framedV2: Binding.framedV2Hash(photo: digests[0], depth: digests[1], metadata: metadata)
            }
        return digests + [signed]
    }

    @Test(arguments: [1, 2, 5], [0, 1, 7, 33, 150])
    mutating func `each bundle of a batch gets its own digests, whatever is beside it`(
        _ concurrency: Int, _ count: Int
    ) async throws {
        var jobs: [ClaimedJob] = []
        var media: [FetchedMedia] = []
        for index in 0..<count {
            let isMalformed = index % 11 == 10
            let job = job(index.isMultiple(of: 2) ? .concatV1 : .framedV2)
            jobs.append(isMalformed ? .malformed(job.id, fault: "of the test") : job)
            switch index % 7 {
            case 3: media.append(.missing)
            case 5: media.append(.unreadable("capture \(index)"))
            default: media.append(.found(CaptureMedia(photo: bytes(3_000), depth: bytes(500))))
            }
        }
        for width in [HashingWidth.fastest, .one] {
            let hashed = await BundleHasher(concurrency: concurrency, width: width).hash(jobs, media: media)
            try check(hashed, jobs, media)
        }
    }

    private func check(_ hashed: [HashedMedia], _ jobs: [ClaimedJob], _ media: [FetchedMedia]) throws {
        try #require(hashed.count == jobs.count)
        for (index, found) in hashed.enumerated() {
            switch (found.content, media[index]) {
            case (.found(let bytes, let digests), .found(let fetched)):
                let submission = try #require(jobs[index].submission)
                #expect(bytes == fetched, "capture \(index)")
                #expect([digests.photo, digests.depth, digests.clientDataHash] == expected(fetched, submission))
            case (.missing, .missing): break
            case (.missing, .found): #expect(jobs[index].submission == nil, "capture \(index) lost its bytes")
            case (.unreadable(let why), .unreadable(let reason)): #expect(why == reason)
            default: Issue.record("capture \(index): \(media[index]) became \(found.content)")
            }
        }
    }

    /// A worker also hashes outside of a verification, when it looks once more before it gives a capture up.
    @Test(arguments: [1, 40])
    mutating func `a batch is hashed away from the event loops, whoever asks for it`(count: Int) async {
        let jobs = (0..<count).map { _ in job(.concatV1) }
        let media = jobs.map { _ in FetchedMedia.found(CaptureMedia(photo: bytes(3_000), depth: bytes(500))) }
        let hasher = BundleHasher(concurrency: 2, width: .one)
        #expect((hasher.portions(of: count).count == 1) == (count == 1))
        let (hashed, arrivals) = await CountingExecutor().run { await hasher.hash(jobs, media: media) }
        #expect(hashed.count == count)
        #expect(arrivals == 1, "only the return is one")
    }

    @Test func `one after the other is done in portions, too`() {
        let portions = BundleHasher(concurrency: 2, width: .one).portions(of: 7)
        #expect(portions == [0..<2, 2..<4, 4..<6, 6..<7])
    }

    @Test(arguments: [1, 2, 16], [0, 1, 4, 31, 256, 1_000])
    func `the portions are the batch, each large enough to fill the lanes twice`(_ concurrency: Int, _ count: Int) {
        let portions = BundleHasher(concurrency: concurrency).portions(of: count)
        #expect(portions.flatMap(Array.init) == Array(0..<count))
        let least = 2 * MessageHasher().lanes(for: count)
        #expect(portions.dropLast().allSatisfy { $0.count >= least })
        #expect(portions.count <= max(1, 4 * concurrency))
    }
}
