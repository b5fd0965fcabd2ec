package import CaptureModel

/// Counts the requests of a client over a window that all gateways share.
package protocol RateLimiter: Sendable {
    /// Counts one request and tells whether it is within the limit.
    /// - Parameters:
    ///   - subject: The kind of request with the client's address or the device's id. Never logged.
    ///   - limit: How many requests the window takes.
    ///   - window: How long a request counts.
    func admit(_ subject: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision

    /// Remembers a message that must not come again: `false` when it already came within the window.
    ///
    /// A clock that is set back lets no limit be kept for longer than its window, but nothing be forgotten: so this is
    /// no limit of one.
    /// - Parameter digest: Digest of the message.
    func remember(_ digest: SHA256Digest, for window: Duration) async throws(QueueError) -> Bool
}

/// Whether a request is within its client's limit.
package enum RateDecision: Sendable, Equatable {
    /// It is.
    case allowed
    /// It is not; a request made after `retryAfter` is.
    case limited(retryAfter: Duration)
}
