extension Patience {
    /// The outcome of a call.
    enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// The server stayed away for too long, or the worker is to stop.
        case away
        /// The server refused, again and again or for good.
        case fault(Fault)
    }

    /// Why a server refused a call, or why what it gave is of no use.
    ///
    /// The same call meets it again, so that a retry at once is useless, unless it is a conflict.
    struct Fault: Sendable, Equatable, CustomStringConvertible {
        /// Why a conflict with what others do is not tried again.
        enum Conflict: Sendable {
            /// It was met as often as it may be, or a suspect waits.
            case tooOften
            /// Another retry would have exceeded the time for which a batch is held.
            case outOfTime
        }

        let description: String
        private let conflict: Conflict?

        init(_ description: String, conflict: Conflict? = nil) {
            self.description = description
            self.conflict = conflict
        }

        /// Whether it is a conflict with what others do: no fault of the capture, however long it lasts.
        var isConflict: Bool { conflict != nil }

        /// Whether another retry would have exceeded the time for which a batch is held.
        var isOutOfTime: Bool { conflict == .outOfTime }
    }

    /// How long a call is tried again.
    enum Limit: Sendable {
        /// For as long as a batch may be held.
        case hold
        /// Until it succeeds, as other workers could do no better; a stopping worker gives up after a while.
        case untilDone
        /// Until the worker is to stop.
        case untilStop
    }
}
