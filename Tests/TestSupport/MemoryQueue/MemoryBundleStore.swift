package import CaptureModel
package import CaptureQueue
import Synchronization

/// The bytes of captures in this process's memory, for tests.
package final class MemoryBundleStore: BundleStore {
    /// What jobs call it.
    package let name: BundleStoreName

    private let bundles = Mutex<[CaptureID: CaptureMedia]>([:])

    /// Makes an empty store; the queue in Redis takes no captures of the name `memory`.
    package init(named name: BundleStoreName = .memory) { self.name = name }

    /// How many captures' bytes it holds.
    package var count: Int { bundles.withLock { $0.count } }

    /// The captures whose bytes it holds, in no order.
    package var captures: [CaptureID] { bundles.withLock { Array($0.keys) } }

    /// Keeps a capture's bytes.
    package func put(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        bundles.withLock { $0[submission.id] = $0[submission.id] ?? media }
    }

    /// Keeps other bytes of a capture that it has some of.
    package func replace(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        bundles.withLock { if $0[submission.id] != nil { $0[submission.id] = media } }
    }

    /// What there is of several captures, in the order asked.
    package func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] {
        bundles.withLock { bundles in
            submissions.map { submission in bundles[submission.id].map { .found($0) } ?? .missing }
        }
    }

    /// Lets go of the bytes of a capture that was not enqueued after all.
    package func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        drop([submission.id])
    }

    /// Lets go of the bytes of captures that the queue has let go.
    package func removeSettled(_ captures: [CaptureID]) async throws(QueueError) {
        drop(captures)
    }

    /// Whether it holds a capture's bytes.
    package func contains(_ capture: CaptureID) -> Bool { bundles.withLock { $0[capture] != nil } }

    /// Removes the bytes of captures that are done with.
    func drop(_ captures: [CaptureID]) {
        bundles.withLock { bundles in
            for capture in captures { bundles[capture] = nil }
        }
    }
}
