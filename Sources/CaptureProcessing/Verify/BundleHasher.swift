import CaptureModel
import CaptureQueue
import MultiBufferSHA256

/// Hashes the bundles of a batch, several at once and on several threads.
struct BundleHasher: Sendable {
    private let hasher: MessageHasher
    private let concurrency: Int

    init(concurrency: Int, width: HashingWidth = .fastest) {
        hasher = MessageHasher(width: width)
        self.concurrency = concurrency
    }

    /// The bundles of some jobs with their digests, in the same order.
    @concurrent func hash(_ jobs: [ClaimedJob], media: [FetchedMedia]) async -> [HashedMedia] {
        // It computes for long, and an event loop would serve nobody meanwhile.
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            await Portions.map(portions(of: jobs.count), concurrency: concurrency) { portion in
                hash(jobs[portion], media: media[portion])
            }
        }
    }

    /// Cuts captures into portions that fill every lane, and into enough of them to keep the threads busy to the end.
    ///
    /// A bundle is two messages of unequal length, so two bundles for each lane leave no lane empty for long. If there
    /// are too few bundles for wide lanes, several threads with narrow lanes are faster.
    func portions(of count: Int) -> [Range<Int>] {
        let size = max(2 * hasher.lanes(for: count), (count + 4 * concurrency - 1) / (4 * concurrency))
        return Portions.ranges(of: count, size: size)
    }

    private func hash(_ jobs: ArraySlice<ClaimedJob>, media: ArraySlice<FetchedMedia>) -> [HashedMedia] {
        let started = ContinuousClock.now
        var messages: [HashedMessage] = []
        messages.reserveCapacity(2 * jobs.count)
        var bytes = 0
        for (job, fetched) in zip(jobs, media) {
            guard let submission = job.submission, let found = fetched.media else { continue }
            let (photo, depth) = BundleDigests.messages(of: found, binding: submission.binding)
            messages += [photo, depth]
            bytes += found.bytes
        }
        var digests = hasher.digests(of: messages)[...]
        let time = started.duration(to: .now)
        return zip(jobs, media).map { job, fetched in
            switch fetched {
            case .missing: return HashedMedia(content: .missing)
            case .unreadable(let why): return HashedMedia(content: .unreadable(why))
            case .found(let media):
                guard let submission = job.submission, let photo = digests.popFirst(), let depth = digests.popFirst()
                else { return HashedMedia(content: .missing) }
                let hashed = BundleDigests(
                    photo: photo, depth: depth, metadata: submission.metadata, binding: submission.binding)
                return HashedMedia(
                    content: .found(media, hashed), time: time * (Double(media.bytes) / Double(max(bytes, 1))))
            }
        }
    }
}
