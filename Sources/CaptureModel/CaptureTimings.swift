/// Where the time of a capture went, for status answers.
public struct CaptureTimings: Sendable, Equatable {
    /// From accepted to claimed.
    public var queue: Duration
    /// Fetching the bytes and checking them.
    public var verify: Duration
    /// The transaction that settled it, shared with its batch.
    public var settle: Duration

    /// Memberwise.
    public init(queue: Duration, verify: Duration, settle: Duration) {
        self.queue = queue
        self.verify = verify
        self.settle = settle
    }
}
