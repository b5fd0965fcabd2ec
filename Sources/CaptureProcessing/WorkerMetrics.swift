import CaptureModel
import CaptureQueue
import Observability

/// The counters of a worker's work.
enum WorkerMetrics {
    /// Counts captures that the record has decided; a repeated earlier decision is not counted again.
    static func settled(_ captures: [ExaminedCapture], _ decided: BatchDecision, at time: Timestamp) {
        var (counts, times, rulings): ([Decision: Int], [Duration], [RolloutRuling]) = ([:], [], [])
        times.reserveCapacity(captures.count)
        for capture in captures {
            guard let settled = decided.settled[capture.job.id], !settled.wasSettledBefore else { continue }
            counts[settled.decision, default: 0] += 1
            if let ruling = capture.rollout { rulings.append(ruling) }
            // A redriven capture was a dead letter for a while, perhaps for days.
            if !capture.job.isRedriven { times.append(max(.zero, time.since(capture.job.receivedAt))) }
        }
        for (decision, count) in counts { CaptureMetrics.jobs(decision, by: count) }
        CaptureMetrics.rollouts(rulings, of: .capture)
        CaptureMetrics.settlements(took: times)
    }

    /// Counts the outcomes of a lane once the queue has taken them.
    static func givenBack(_ settlement: LaneSettlement) {
        for item in settlement.items {
            if case .dead(let reason, _) = item.disposition { CaptureMetrics.deadLetter(reason) }
        }
        if case .delayed(_, let reason, _, _) = settlement.continuation {
            // A fault with a reason was found before the record decided, so it is a fault of the bytes.
            CaptureMetrics.retry(reason == nil ? .server : .bundle)
        }
    }
}
