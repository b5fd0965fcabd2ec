package import CaptureModel
import CaptureQueue

extension QueueActions {
    /// The outcome of an action on several dead letters: each is counted as done or is in one of the first three lists.
    package struct Outcome: Sendable, Equatable {
        /// How many letters it was done to.
        package var done = 0
        /// Captures that were no dead letters any more.
        package var missing: [CaptureID] = []
        /// Letters that were left alone because of a fault or a stop request.
        package var interrupted: [CaptureID] = []
        /// Letters of unknown outcome, as the answer was lost.
        ///
        /// The audit lists them as done.
        package var unknown: [CaptureID] = []
        /// Letters that were not discarded, or perhaps not, and whose ledger rows could not be reinstated.
        ///
        /// If Redis has such a capture and loses it, nothing puts it back. A redrive records it again.
        package var rowless: [CaptureID] = []
        /// Whether the audit may list letters as done that were not, because the correcting entry could not be written.
        package var isAuditAhead = false
        /// How many discarded letters may have bytes left, because these could not be removed or have no store here.
        ///
        /// Workers that have the store sweep them after a while.
        package var leftToSweepMax = 0

        /// Starts with nothing done.
        package init() {}

        /// Adds the outcome for one letter; returns the fault that it met.
        mutating func note(_ step: Step, of letter: CaptureID) -> ServerFault? {
            switch step {
            case .done:
                done += 1
                return nil
            case .missing(let isRowless):
                missing.append(letter)
                if isRowless { rowless.append(letter) }
                return nil
            case .interrupted(let fault, let isRowless):
                interrupted.append(letter)
                if isRowless { rowless.append(letter) }
                return fault
            case .unknown(let fault, let isRowless):
                unknown.append(letter)
                if isRowless { rowless.append(letter) }
                return fault
            }
        }

        /// Adds the outcome for further letters.
        package mutating func add(_ other: Outcome) {
            done += other.done
            missing += other.missing
            interrupted += other.interrupted
            unknown += other.unknown
            rowless += other.rowless
            isAuditAhead = isAuditAhead || other.isAuditAhead
            leftToSweepMax += other.leftToSweepMax
        }
    }

    /// What became of a letter that was to be discarded.
    struct DiscardEnd {
        let step: Step
        /// Whether it may have bytes left.
        var isLeft = false
        /// Whether the store of its bytes did not answer.
        var isSilent = false
    }

    /// The outcome for one letter.
    enum Step {
        case done
        /// It was no dead letter any more.
        /// - Parameter isRowless: Whether it has lost its row in the ledger.
        case missing(isRowless: Bool = false)
        /// A fault prevented it for this letter.
        case interrupted(ServerFault, isRowless: Bool = false)
        /// The answer was lost.
        case unknown(ServerFault, isRowless: Bool = false)

        /// The outcome that a fault of the action itself means.
        init(_ fault: QueueError) {
            // An answer that cannot be read leaves the outcome unknown too.
            let isUnknown = fault.code == .outcomeUnknown || fault.code == .malformedReply
            self = isUnknown ? .unknown(.queue(fault)) : .interrupted(.queue(fault))
        }
    }
}
