package import CaptureModel
import CaptureQueue

extension OperatorDesk {
    /// What came of something that was done to several dead letters.
    package struct Outcome: Sendable, Equatable {
        /// How many it was done to.
        package var done = 0
        /// Those that were no dead letters any more.
        package var missing: [CaptureID] = []
        /// Those that a fault, or being told to stop, has kept it from: it was not done to them.
        package var interrupted: [CaptureID] = []
        /// Those of which nobody knows whether it was done: the answer was lost.
        ///
        /// The audit has them as done.
        package var unknown: [CaptureID] = []
        /// Those of the interrupted whose rows in the ledger could not be recorded again: should Redis lose them,
        /// nothing puts them back.
        package var rowless: [CaptureID] = []
        /// Whether the audit names some as done that were not: it could not be told afterwards.
        package var isAuditAhead = false
        /// How many of the discarded have bytes left at the most: some could not be removed now, or are in a store that
        /// is not configured here.
        ///
        /// Workers that have the store sweep them after a while.
        package var leftToSweepMax = 0

        /// Starts with nothing done.
        package init() {}

        /// To how many of so many it was not done, those included that nobody came to: they are in no list.
        package func undone(of count: Int) -> Int { count - done - missing.count - unknown.count }

        /// Adds what came of more of them.
        mutating func add(_ other: Outcome) {
            done += other.done
            missing += other.missing
            interrupted += other.interrupted
            unknown += other.unknown
            rowless += other.rowless
            isAuditAhead = isAuditAhead || other.isAuditAhead
            leftToSweepMax += other.leftToSweepMax
        }
    }

    /// What came of one of them.
    enum Step {
        case done
        /// It was no dead letter any more.
        case missing
        /// A fault has kept it from this one.
        case interrupted(ServerFault, isRowless: Bool = false)
        /// The answer was lost.
        case unknown(ServerFault)

        /// What a fault of the deed itself means.
        init(_ fault: QueueError) {
            // Of an answer that cannot be read nobody knows either.
            let isUnknown = fault.code == .outcomeUnknown || fault.code == .malformedReply
            self = isUnknown ? .unknown(.queue(fault)) : .interrupted(.queue(fault))
        }
    }
}
