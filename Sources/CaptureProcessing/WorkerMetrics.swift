import CaptureModel
import CaptureQueue
import Observability

/// What a worker counts of its work.
enum WorkerMetrics {
    private struct Kind: Hashable {
        let verdict: Verdict
        let reason: Reason?
    }

    /// Counts captures when the record has decided; a repetition of an earlier decision is not another one.
    static func settled(_ captures: [VerifiedCapture], _ decisions: [CaptureID: SettledCapture], at time: Timestamp) {
        var (counts, times, rulings): ([Kind: Int], [Duration], [RolloutRuling]) = ([:], [], [])
        times.reserveCapacity(captures.count)
        for capture in captures {
            guard let decision = decisions[capture.job.id], !decision.settledBefore else { continue }
            counts[Kind(verdict: decision.verdict, reason: decision.reason), default: 0] += 1
            if let ruling = capture.rollout { rulings.append(ruling) }
            // What was put back has waited for that, perhaps for days.
            if !capture.job.redriven { times.append(max(.zero, time.since(capture.job.receivedAt))) }
        }
        for (kind, count) in counts { CaptureMetrics.jobs(kind.verdict, kind.reason, by: count) }
        CaptureMetrics.rollouts(rulings, of: .capture)
        CaptureMetrics.settlements(took: times)
    }

    /// Counts what a lane was given back with, once the queue has agreed.
    static func givenBack(_ settlement: LaneSettlement) {
        for item in settlement.items {
            if case .dead(let reason, _) = item.disposition { CaptureMetrics.deadLetter(reason) }
        }
        if case .delayed(_, let reason, _, _) = settlement.continuation {
            // What is found out about a capture before it is decided is found out about its bytes.
            CaptureMetrics.retry(reason == nil ? .server : .bundle)
        }
    }
}
