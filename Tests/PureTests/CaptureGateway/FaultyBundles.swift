import CaptureModel
import CaptureQueue
import Synchronization
import TestSupport

/// Bytes in memory whose store can be told to be away, or to fail halfway through.
final class FaultyBundles: ForwardingBundles {
    let memory: MemoryBundleStore
    private let fault = Mutex<QueueError?>(nil)
    private let outage = Mutex<QueueError?>(nil)
    private let calls = Mutex(0)

    /// How often bytes were stored.
    var puts: Int { calls.withLock { $0 } }

    init(_ memory: MemoryBundleStore) {
        self.memory = memory
    }

    /// Fails once the bytes are stored.
    func fail(puttingWith fault: QueueError?) { self.fault.withLock { $0 = fault } }
    /// Neither stores nor removes anything.
    func fail(everythingWith outage: QueueError?) { self.outage.withLock { $0 = outage } }

    private func answer() throws(QueueError) {
        if let outage = outage.withLock({ $0 }) { throw outage }
    }

    func put(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        calls.withLock { $0 += 1 }
        try answer()
        try await memory.put(media, of: submission)
        if let fault = fault.withLock({ $0 }) { throw fault }
    }

    func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        try answer()
        try await memory.remove(submission)
    }
}
