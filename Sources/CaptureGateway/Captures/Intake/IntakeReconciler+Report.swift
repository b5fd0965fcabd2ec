import Logging

extension IntakeReconciler {
    /// Logs what a turn has put back.
    /// - Parameters:
    ///   - isWhole: Whether no partition refuses.
    ///   - wasWhole: Whether the queue was whole before, so that what was put back now was not there after a restart.
    func report(
        _ plan: ReconcilerRound.Plan, _ progress: IntakeWalk.Progress, isWhole: Bool, wasWhole: Bool
    ) {
        if case .restore(let partitions) = plan {
            // The queue tells which ones refuse.
            guard progress.refused.count < partitions.count else { return }
            let exception = isWhole ? "" : ", except where a partition refuses"
            let metadata: Logger.Metadata = [
                "restored": "\(progress.restored)", "lost": "\(progress.lost.count)",
                "invalid": "\(progress.invalid.count)",
            ]
            if !progress.invalid.isEmpty {
                logger.error("not everything that was accepted is in the queue again", metadata: metadata)
            } else if wasWhole, progress.restored > 0 {
                // Lost by Redis, or of uploads that were under way when it went, which had no 202.
                logger.warning(
                    "Redis, its functions or all gateways were away: missing captures are in the queue again\(exception)",
                    metadata: metadata)
            } else if wasWhole {
                // A restart with all its data, the functions of another release, or nobody has looked for a while.
                logger.notice("Redis, its functions or all gateways were away: no capture was missing\(exception)")
            } else {
                logger.notice("the queue holds everything that was accepted\(exception)", metadata: metadata)
            }
        } else if progress.restored > 0 {
            logger.notice(
                "captures without a queue entry were enqueued", metadata: ["captures": "\(progress.restored)"])
        }
    }
}
