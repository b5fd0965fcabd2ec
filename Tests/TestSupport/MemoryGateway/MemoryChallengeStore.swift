public import CaptureModel
public import CaptureQueue
import Synchronization

/// Challenges in memory, with a fault on demand.
public final class MemoryChallengeStore: ChallengeStore {
    private let time: TimeSource
    private let issued = Mutex<[[UInt8]: Timestamp]>([:])
    private let fault = Mutex<QueueError?>(nil)

    /// Makes an empty store.
    public init(time: @escaping TimeSource) { self.time = time }

    /// Lets every call fail from now on, or none any more.
    public func fail(with fault: QueueError?) { self.fault.withLock { $0 = fault } }

    /// Notes a challenge as issued.
    public func issue(_ challenge: [UInt8], lifetime: Duration) async throws(QueueError) {
        if let fault = fault.withLock({ $0 }) { throw fault }
        issued.withLock { $0[challenge] = time().advanced(by: lifetime) }
    }

    /// Uses a challenge up.
    public func consume(_ challenge: [UInt8]) async throws(QueueError) -> Bool {
        if let fault = fault.withLock({ $0 }) { throw fault }
        guard let end = issued.withLock({ $0.removeValue(forKey: challenge) }) else { return false }
        return time() < end
    }
}
