extension Patience {
    /// The outcome of a call.
    enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// The server stayed away for too long, or the worker is to stop.
        case away
        /// The server refused, again and again or for good.
        case fault(Fault)
    }

    /// Why a server refused a call.
    struct Fault: Sendable, Equatable, CustomStringConvertible {
        let description: String
        /// Whether the same call can never succeed, so that a retry is useless; otherwise it met a conflict.
        let isPermanent: Bool
        /// Whether another retry would have exceeded the time for which a batch is held.
        var isOutOfTime = false
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
