import CaptureModel
import CaptureQueue
import FaultPoints
import Observability
import Rollout
import Tracing

/// Hashes and verifies the captures of a batch, on as many threads as configured.
///
/// Apart from the processor, which is generic: what is done for every capture is compiled for the types that it has.
struct BatchVerifier: Sendable {
    let concurrency: Int
    let hasher: BundleHasher
    let verifier: CaptureVerifier
    let inHand: WorkInHand
    let faults: Faults

    /// What was found out about a capture, and how long that took.
    struct Result: Sendable {
        let finding: Finding
        let time: Duration
    }

    /// The results in the order of the captures; each thread takes the next capture when it is done with one.
    func verify(
        _ jobs: [ClaimedJob], media: [FetchedBundle], devices: [DeviceID: KnownDevice], rollout: RolloutPolicy
    ) async -> [Result] {
        let media = await hasher.hash(jobs, media: media)
        let next = TakeANumber()
        let keepsSpans = JobTrace.keepsSpans
        let results = await withTaskGroup(of: [(index: Int, result: Result)].self) { group in
            for _ in 0..<min(concurrency, jobs.count) {
                group.addTask {
                    var done: [(index: Int, result: Result)] = []
                    done.reserveCapacity(jobs.count)
                    while case let index = next.take(), index < jobs.count {
                        let started = ContinuousClock.now
                        let device: KnownDevice? =
                            if case .valid(let job) = jobs[index] { devices[job.device] } else { nil }
                        let finding =
                            keepsSpans
                            ? traced(jobs[index], media: media[index], device: device, rollout: rollout)
                            : verify(jobs[index], media: media[index], device: device, rollout: rollout)
                        let time = media[index].time + started.duration(to: .now)
                        done.append((index, Result(finding: finding, time: time)))
                    }
                    return done
                }
            }
            var parts: [[(index: Int, result: Result)]] = []
            for await done in group { parts.append(done) }
            return Self.merged(parts, count: jobs.count)
        }
        CaptureMetrics.stage(.verify, took: results.map(\.time))
        return results
    }

    private func verify(
        _ job: ClaimedJob, media: HashedBundle, device: KnownDevice?, rollout: RolloutPolicy
    ) -> Finding {
        inHand.with(job.id) {
            faults.taste(job.id)
            return verifier.verify(job, media: media, device: device, rollout: rollout)
        }
    }

    private func traced(
        _ job: ClaimedJob, media: HashedBundle, device: KnownDevice?, rollout: RolloutPolicy
    ) -> Finding {
        let context = JobTrace.context(of: job.submission?.traceParent)
        return withSpan("verify", context: context, ofKind: .consumer) { span in
            span.attributes["capture_id"] = "\(job.id)"
            return verify(job, media: media, device: device, rollout: rollout)
        }
    }

    /// The results of all threads in the order of the captures; each thread's are in order already.
    private static func merged(_ parts: [[(index: Int, result: Result)]], count: Int) -> [Result] {
        var places = [Int](repeating: 0, count: parts.count)
        var merged: [Result] = []
        merged.reserveCapacity(count)
        for index in 0..<count {
            for part in parts.indices where places[part] < parts[part].count && parts[part][places[part]].index == index
            {
                merged.append(parts[part][places[part]].result)
                places[part] += 1
            }
        }
        return merged
    }
}
