import CaptureModel
import CaptureQueue
import Observability

/// What a worker counts of its work.
enum WorkerMetrics {
    /// Counts a capture when the record has decided; a repetition of an earlier decision is not another one.
    static func settled(_ decision: SettledCapture, _ job: CaptureJob, at time: Timestamp) {
        guard !decision.settledBefore else { return }
        CaptureMetrics.job(decision.verdict, decision.reason)
        CaptureMetrics.settlement(took: max(.zero, time.since(job.receivedAt)))
    }

    /// Counts what a lane was given back with, once the queue has agreed.
    static func givenBack(_ settlement: LaneSettlement) {
        for item in settlement.items {
            if case .dead(let reason, _) = item.disposition { CaptureMetrics.deadLetter(reason) }
        }
        if case .delayed(_, let reason, _) = settlement.continuation {
            // What is found out about a capture before it is decided is found out about its bytes.
            CaptureMetrics.retry(reason == nil ? .server : .bundle)
        }
    }
}
