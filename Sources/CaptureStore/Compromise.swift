package import CaptureModel

/// Since when a key may have been in other hands.
package struct Compromise: Sendable, Equatable {
    /// Since when.
    package let since: Timestamp
    /// Why it is thought so.
    package let reason: String
    /// Who noted it.
    package let actor: String

    /// Memberwise.
    package init(since: Timestamp, reason: String, actor: String) {
        self.since = since
        self.reason = reason
        self.actor = actor
    }
}

/// A compromise that is noted for good.
package struct NotedCompromise: Sendable, Equatable {
    /// The number of affected verified results, up to ``DeviceTally/countMax``; `nil` if that could not be read.
    package let affected: Int?

    /// Notes the number.
    package init(affected: Int?) {
        self.affected = affected
    }
}
