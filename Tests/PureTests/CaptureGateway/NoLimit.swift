import CaptureModel
import CaptureQueue

/// A limiter that lets everybody through.
struct NoLimit: RateLimiter {
    func admit(_ client: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision { .allowed }

    func remember(_ digest: SHA256Digest, for window: Duration) async throws(QueueError) -> Bool { true }
}
