import CaptureModel
import CaptureQueue
import FaultPoints
import MultiBufferP256
import Observability
import Rollout
import Tracing

/// Hashes and verifies the captures of a batch, on as many threads as configured.
///
/// It is apart from the generic processor, so that the work for every capture is compiled for concrete types.
struct BatchVerifier: Sendable {
    let concurrency: Int
    let hasher: BundleHasher
    /// Proves several signatures at once; without it each is verified by itself.
    let prover: SignatureProver?
    let verifier: CaptureVerifier
    let running: RunningVerifications
    let faults: ArmedFaults

    /// The conclusion about a capture, and the time that it took.
    struct Timed: Sendable {
        let conclusion: CaptureConclusion
        let time: Duration
    }

    /// The captures of a batch with all that is known of them before they are verified.
    private struct Batch: Sendable {
        let jobs: [ClaimedJob]
        let media: [HashedMedia]
        let devices: [DeviceID: KnownDevice]
        let rollout: RolloutPolicy

        func device(of index: Int) -> KnownDevice? {
            if case .valid(let job) = jobs[index] { devices[job.device] } else { nil }
        }
    }

    /// The results in the order of the captures.
    func verify(
        _ jobs: [ClaimedJob], media: [FetchedMedia], devices: [DeviceID: KnownDevice], rollout: RolloutPolicy
    ) async -> [Timed] {
        // It computes for long, and an event loop would serve nobody meanwhile.
        let results = await withTaskExecutorPreference(globalConcurrentExecutor) {
            let batch = Batch(
                jobs: jobs, media: await hasher.hash(jobs, media: media), devices: devices, rollout: rollout)
            return await Portions.map(portions(of: jobs.count), concurrency: concurrency) { portion in
                verify(portion, of: batch)
            }
        }
        CaptureMetrics.stage(.verify, took: results.map(\.time))
        return results
    }

    /// As many captures as there are lanes, or a thread's share of a small batch.
    func portions(of count: Int) -> [Range<Int>] {
        let size = min(SignatureProver.lanes, max(1, (count + concurrency - 1) / concurrency))
        return Portions.ranges(of: count, size: size)
    }

    private func verify(_ portion: Range<Int>, of batch: Batch) -> [Timed] {
        let started = ContinuousClock.now
        var candidates = portion.map { index in
            running.with(CollectionOfOne(batch.jobs[index].id)) {
                verifier.candidate(batch.jobs[index], media: batch.media[index], device: batch.device(of: index))
            }
        }
        if let prover {
            running.with(candidates.map(\.claimed.id)) {
                CaptureVerifier.Candidate.prove(&candidates, by: prover)
            }
        }
        // Asked once: it looks up the process's tracer.
        let keepsSpans = JobTrace.keepsSpans
        var before = ContinuousClock.now
        // Each capture is charged an equal share of the work done for all of them together.
        let share = started.duration(to: before) / portion.count
        return candidates.map { candidate in
            let conclusion =
                keepsSpans
                ? verifyTraced(candidate, rollout: batch.rollout) : verifyWatched(candidate, rollout: batch.rollout)
            let now = ContinuousClock.now
            defer { before = now }
            return Timed(conclusion: conclusion, time: candidate.media.time + share + before.duration(to: now))
        }
    }

    /// Verifies a capture in a span of its upload's trace.
    private func verifyTraced(_ candidate: CaptureVerifier.Candidate, rollout: RolloutPolicy) -> CaptureConclusion {
        let context = JobTrace.context(of: candidate.claimed.submission?.traceParent)
        return withSpan("verify", context: context, ofKind: .consumer) { span in
            span.attributes["capture_id"] = "\(candidate.claimed.id)"
            return verifyWatched(candidate, rollout: rollout)
        }
    }

    /// Verifies a capture where the watchdog sees it.
    private func verifyWatched(_ candidate: CaptureVerifier.Candidate, rollout: RolloutPolicy) -> CaptureConclusion {
        running.with(CollectionOfOne(candidate.claimed.id)) {
            faults.beginVerifying(candidate.claimed.id)
            return verifier.verify(candidate, rollout: rollout)
        }
    }
}
