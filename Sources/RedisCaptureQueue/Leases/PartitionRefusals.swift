import CaptureQueue
import Logging
import Observability
import Synchronization

/// Tells which partitions refuse, as when a key in one is damaged: once when it begins, once when it is over.
///
/// The other partitions are worked all the same, so that nothing else says anything about it.
final class PartitionRefusals: Sendable {
    /// The partitions that refused the last claim in them, the last question how full they are, and the reconciler.
    private struct Refusing {
        var claims: Set<Int> = []
        var loads: Set<Int> = []
        var reconciliations: Set<Int> = []

        var count: Int { claims.union(loads).union(reconciliations).count }
    }

    private let partitions: Int
    private let logger: Logger
    private let refusing = Mutex(Refusing())

    /// - Parameter partitions: How many there are. If it is one, its refusal is a fault of the call, which has a line in
    ///   the program's log already.
    init(partitions: Int, logger: Logger) {
        self.partitions = partitions
        self.logger = logger
    }

    /// Whether a partition refused the last claim in it.
    func contains(_ partition: Int) -> Bool {
        refusing.withLock { $0.claims.contains(partition) }
    }

    /// Notes that a partition refused a claim.
    func begin(in partition: Int, for fault: QueueError) {
        guard change({ $0.claims.insert(partition).inserted }), partitions > 1 else { return }
        logger.error(
            "a partition refuses claims; its captures wait",
            metadata: ["partition": "\(partition)", "fault": "\(fault)"])
    }

    /// Notes that a partition answered a claim; returns whether it had refused the one before.
    func end(in partition: Int) -> Bool {
        guard change({ $0.claims.remove(partition) != nil }) else { return false }
        if partitions > 1 {
            logger.notice("a partition answers claims again", metadata: ["partition": "\(partition)"])
        }
        return true
    }

    /// Notes which partitions refused to tell how full they are, when all were asked.
    func note(loads refusals: [Int: QueueError]) {
        note(
            refusals, as: \.loads, beginning: "a partition refuses to tell how full it is, and is left out",
            ending: "a partition tells how full it is again")
    }

    /// Notes which partitions refused when they were last restored from the ledger, or looked through for it.
    func note(reconciliations refusals: [Int: QueueError]) {
        note(
            refusals, as: \.reconciliations, beginning: "a partition refuses the reconciler, and is left out",
            ending: "a partition answers the reconciler again")
    }

    private func note(
        _ refusals: [Int: QueueError], as kind: WritableKeyPath<Refusing, Set<Int>>, beginning: Logger.Message,
        ending: Logger.Message
    ) {
        let (before, now) = change { refusing in
            let before = refusing[keyPath: kind]
            refusing[keyPath: kind] = Set(refusals.keys)
            return (before, refusing[keyPath: kind])
        }
        guard partitions > 1, before != now else { return }
        for (partition, fault) in refusals.sorted(by: { $0.key < $1.key }) where !before.contains(partition) {
            logger.error(beginning, metadata: ["partition": "\(partition)", "fault": "\(fault)"])
        }
        for partition in before.subtracting(now).sorted() {
            logger.notice(ending, metadata: ["partition": "\(partition)"])
        }
    }

    /// Notes that Redis is away: nobody knows what its partitions would refuse, and the metrics name none.
    ///
    /// The known refusals are kept for the next claim or question, which says whether they still hold.
    func noteAway() {
        refusing.withLock { _ in CaptureMetrics.partitionsRefused(0) }
    }

    /// Changes what is known and tells the metrics how many partitions refuse now.
    private func change<Value: Sendable>(_ body: (inout Refusing) -> Value) -> Value {
        refusing.withLock { refusing in
            let value = body(&refusing)
            // Within the lock, so that the last number written is the last one counted.
            CaptureMetrics.partitionsRefused(refusing.count)
            return value
        }
    }
}
