package import CaptureModel
package import CaptureQueue
import Synchronization

/// Challenges in memory, with a fault on demand.
package final class MemoryChallengeStore: ChallengeStore {
    private let time: TimeSource
    private let issued = Mutex<[[UInt8]: Timestamp]>([:])
    private let fault = Mutex<QueueError?>(nil)

    /// Makes an empty store.
    package init(time: @escaping TimeSource) { self.time = time }

    /// Lets every call fail from now on, or none any more.
    package func fail(with fault: QueueError?) { self.fault.withLock { $0 = fault } }

    /// Notes a challenge as issued.
    package func issue(_ challenge: [UInt8], lifetime: Duration) async throws(QueueError) {
        if let fault = fault.withLock({ $0 }) { throw fault }
        issued.withLock { $0[challenge] = time().advanced(by: lifetime) }
    }

    /// Uses a challenge up.
    package func consume(_ challenge: [UInt8]) async throws(QueueError) -> Bool {
        if let fault = fault.withLock({ $0 }) { throw fault }
        guard let end = issued.withLock({ $0.removeValue(forKey: challenge) }) else { return false }
        return time() < end
    }
}
