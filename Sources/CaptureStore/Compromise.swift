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

/// A verified result of a compromised key.
package struct AffectedResult: Sendable, Equatable {
    /// The capture.
    package let capture: CaptureID
    /// Its counter, by which the list is ordered.
    package let counter: UInt32
    /// When it was received.
    package let receivedAt: Timestamp

    /// Memberwise.
    package init(capture: CaptureID, counter: UInt32, receivedAt: Timestamp) {
        self.capture = capture
        self.counter = counter
        self.receivedAt = receivedAt
    }
}
