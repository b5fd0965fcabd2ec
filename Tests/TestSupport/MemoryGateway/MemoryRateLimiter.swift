package import CaptureModel
package import CaptureQueue
import Synchronization

/// Request counts in memory: exact times of a sliding window.
package final class MemoryRateLimiter: RateLimiter {
    private let time: TimeSource
    private let admitted = Mutex<[String: [Timestamp]]>([:])
    /// Until when messages are remembered.
    private let remembered = Mutex<[SHA256Digest: Timestamp]>([:])

    /// Makes one that has counted nothing.
    package init(time: @escaping TimeSource) { self.time = time }

    /// Counts one request.
    package func admit(_ subject: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision {
        let now = time()
        return admitted.withLock { admitted in
            let recent = admitted[subject, default: []].filter { now.since($0) < window }
            guard recent.count < limit else {
                let oldest = recent.first ?? now
                return .limited(retryAfter: window - now.since(oldest))
            }
            admitted[subject] = recent + [now]
            return .allowed
        }
    }

    /// Remembers a message until the end of the window.
    package func remember(_ digest: SHA256Digest, for window: Duration) async throws(QueueError) -> Bool {
        let now = time()
        return remembered.withLock { remembered in
            if let end = remembered[digest], now < end { return false }
            remembered[digest] = now.advanced(by: window)
            return true
        }
    }

    /// Takes the oldest request that was counted for one of so long ago.
    package func ageOldest(of subject: String, by age: Duration) {
        let moment = time().advanced(by: Duration.zero - age)
        admitted.withLock { admitted in
            guard let requests = admitted[subject] else { return }
            admitted[subject] = [moment] + requests.dropFirst()
        }
    }
}
