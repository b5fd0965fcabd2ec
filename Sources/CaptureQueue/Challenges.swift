/// Where issued challenges wait to be presented once ([R-CH-2]), shared by all gateways.
public protocol ChallengeStore: Sendable {
    /// Notes a challenge as issued, for as long as it may be presented.
    func issue(_ challenge: [UInt8], lifetime: Duration) async throws(QueueError)

    /// Uses a challenge up: `true` for the one caller that presents it first and in time, whatever comes of it then.
    ///
    /// A call whose outcome is unknown counts as a use: it throws, and the device asks for a new challenge.
    func consume(_ challenge: [UInt8]) async throws(QueueError) -> Bool
}

/// Counts the requests of a client over a window that all gateways share ([R-CH-3]).
public protocol RateLimiter: Sendable {
    /// Counts one request and tells whether it is within the limit.
    /// - Parameters:
    ///   - client: What is counted by: an address or a device's id. Never logged.
    ///   - limit: How many requests the window takes.
    ///   - window: How long a request counts.
    func admit(_ client: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision
}

/// Whether a request is within its client's limit.
public enum RateDecision: Sendable, Equatable {
    /// It is.
    case allowed
    /// It is not; a request made after `retryAfter` is.
    case limited(retryAfter: Duration)
}
