import CaptureModel
import CaptureQueue
import Logging

extension BatchProcessor {
    /// Marks the captures that became dead letters, or were redriven, since they were claimed.
    ///
    /// A stalled worker wakes with expired leases. Its findings still count, but later captures of the device may have
    /// been settled meanwhile, which is no fault of the capture that became a dead letter. As long as leases are
    /// renewed, the queue is not asked.
    func marked(_ captures: [ExaminedCapture], of portions: [LanePortion]) async -> [ExaminedCapture] {
        guard !captures.isEmpty, queue.mayBeLost(portions.map(\.lease.token)) else { return captures }
        let statuses: [JobStatus?]
        do throws(QueueError) {
            statuses = try await queue.status(of: captures.map { (capture: $0.job.id, device: $0.job.device) })
        } catch {
            // The queue may be away for hours, and most often no other worker has taken the lanes.
            logger.info(
                "leases may be lost, and the queue cannot tell which captures were given up meanwhile",
                metadata: ["lanes": "\(portions.count)", "fault": "\(error)"])
            return captures
        }
        return zip(captures, statuses).map { capture, status in
            guard let status, status.state == .failed || status.isRedriven else { return capture }
            return capture.asRedriven
        }
    }
}
