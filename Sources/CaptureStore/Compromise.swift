public import CaptureModel

/// Since when a key may have been in other hands.
public struct Compromise: Sendable, Equatable {
    /// Since when.
    public let since: Timestamp
    /// Why it is thought so.
    public let reason: String
    /// Who noted it.
    public let actor: String

    /// Memberwise.
    public init(since: Timestamp, reason: String, actor: String) {
        self.since = since
        self.reason = reason
        self.actor = actor
    }
}

/// A compromise that is noted, which nothing takes back.
public struct NotedCompromise: Sendable, Equatable {
    /// How many verified results are affected, counted up to ``DeviceTally/countMax``; `nil` where the record could not
    /// be asked for that any more.
    public let affected: Int?

    /// Notes the number.
    public init(affected: Int?) {
        self.affected = affected
    }
}

/// A verified result of a compromised key.
public struct AffectedResult: Sendable, Equatable {
    /// The capture.
    public let capture: CaptureID
    /// Its counter: the place in the list.
    public let counter: UInt32
    /// When it was received.
    public let receivedAt: Timestamp

    /// Memberwise.
    public init(capture: CaptureID, counter: UInt32, receivedAt: Timestamp) {
        self.capture = capture
        self.counter = counter
        self.receivedAt = receivedAt
    }
}
