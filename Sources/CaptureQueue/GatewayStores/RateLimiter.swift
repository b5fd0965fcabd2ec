package import CaptureModel

/// Counts the requests of a client over a window that all gateways share.
package protocol RateLimiter: Sendable {
    /// Counts one request and tells whether it is within the limit.
    /// - Parameters:
    ///   - subject: The kind of request with the client's address or the device's id. Never logged.
    ///   - limit: How many requests the window takes.
    ///   - window: How long a request counts.
    func admit(_ subject: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision
}

extension RateLimiter {
    /// Remembers a message that must not come again: `false` when it already came within the window.
    ///
    /// - Parameter digest: Digest of the message. It is counted as a request with a limit of one.
    package func remember(_ digest: SHA256Digest, for window: Duration) async throws(QueueError) -> Bool {
        try await admit("replay:\(digest.hex)", limit: 1, window: window) == .allowed
    }
}

/// Whether a request is within its client's limit.
package enum RateDecision: Sendable, Equatable {
    /// It is.
    case allowed
    /// It is not; a request made after `retryAfter` is.
    case limited(retryAfter: Duration)
}
