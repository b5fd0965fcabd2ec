package import CaptureModel

/// Counts the requests of a client over a window that all gateways share.
package protocol RateLimiter: Sendable {
    /// Counts one request and tells whether it is within the limit.
    /// - Parameters:
    ///   - subject: What is counted by: what is asked for, and the client's address or the device's id. Never logged.
    ///   - limit: How many requests the window takes.
    ///   - window: How long a request counts.
    func admit(_ subject: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision
}

extension RateLimiter {
    /// Remembers what must not come again: `false` when it came within the window before.
    ///
    /// - Parameter digest: Of what came. It is counted as a request of which there may be one.
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
