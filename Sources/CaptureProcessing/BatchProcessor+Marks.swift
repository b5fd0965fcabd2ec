import CaptureModel
import CaptureQueue
import Logging

extension BatchProcessor {
    /// Captures as they are settled: those that were given up since they were claimed, or put back since, with the mark
    /// that says so.
    ///
    /// A worker that stood still wakes with leases that have run out. What it has found out counts all the same, but later
    /// captures of a device may have been settled meanwhile, which is no fault of the one that was given up. As long as
    /// leases are renewed nobody is asked.
    func marked(_ captures: [VerifiedCapture], of portions: [LanePortion]) async -> [VerifiedCapture] {
        guard !captures.isEmpty, queue.mayBeLost(portions.map(\.lease.token)) else { return captures }
        let statuses: [JobStatus?]
        do throws(QueueError) {
            statuses = try await queue.status(of: captures.map(\.job.id))
        } catch {
            // The queue may be away for hours, and most often nobody else has met it either.
            logger.info(
                "leases may be lost, and the queue cannot tell which captures were given up meanwhile",
                metadata: ["lanes": "\(portions.count)", "fault": "\(error)"])
            return captures
        }
        return zip(captures, statuses).map { capture, status in
            guard let status, status.state == .failed || status.redriven else { return capture }
            return capture.asRedriven
        }
    }
}
