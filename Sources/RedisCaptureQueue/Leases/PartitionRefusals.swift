import CaptureQueue
import Logging
import Observability
import Synchronization

/// Tells which partitions refuse claims, as when a key in one is damaged: once when it begins, once when it is over.
///
/// The other partitions are claimed all the same, so that the claims do not fail and say nothing about it.
final class PartitionRefusals: Sendable {
    private let partitions: Int
    private let logger: Logger
    private let refusing = Mutex<Set<Int>>([])

    /// - Parameter partitions: How many there are. If it is one, its refusal is a fault of the claim, which has a line in
    ///   the worker's log already.
    init(partitions: Int, logger: Logger) {
        self.partitions = partitions
        self.logger = logger
    }

    /// Whether a partition refused the last claim in it.
    func contains(_ partition: Int) -> Bool {
        refusing.withLock { $0.contains(partition) }
    }

    /// Notes that a partition refused a claim.
    func begin(in partition: Int, for fault: QueueError) {
        guard change({ $0.insert(partition).inserted }), partitions > 1 else { return }
        logger.error(
            "a partition refuses claims; its captures wait",
            metadata: ["partition": "\(partition)", "fault": "\(fault)"])
    }

    /// Notes that a partition answered a claim; returns whether it had refused the one before.
    func end(in partition: Int) -> Bool {
        guard change({ $0.remove(partition) != nil }) else { return false }
        if partitions > 1 {
            logger.notice("a partition answers claims again", metadata: ["partition": "\(partition)"])
        }
        return true
    }

    /// Changes the set and tells the metrics how many there are now, if the body says that it did.
    private func change(_ body: (inout Set<Int>) -> Bool) -> Bool {
        refusing.withLock { refusing in
            guard body(&refusing) else { return false }
            // Within the lock, so that the last number written is the last one counted.
            CaptureMetrics.partitionsRefused(refusing.count)
            return true
        }
    }
}
