package import CaptureModel

/// Where the bytes of captures stay while their tokens travel.
///
/// Whoever enqueues a capture stores its bytes first. If the capture is never enqueued, the store removes the bytes
/// after a while; otherwise they stay until it is settled or discarded. The conformance suite in the tests checks this.
package protocol BundleStore: Sendable {
    /// The name under which jobs refer to it.
    var name: BundleStoreName { get }

    /// Whether this store has the bytes of jobs that name the given store.
    func holds(_ store: BundleStoreName) -> Bool

    /// Stores a capture's bytes; when this returns, they are as safe as the store makes them.
    func put(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError)

    /// Stores a capture's bytes in the place of those that have changed in storage; what is gone stays gone.
    ///
    /// The caller has seen that the bytes have the submission's digests: so good bytes are only replaced by the same.
    func replace(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError)

    /// Fetches the bytes of several captures, in the order asked.
    ///
    /// It throws only when nothing can be fetched at all; a fault of one capture is in its own ``FetchedMedia``.
    func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia]

    /// Whether bytes of another size than declared are stored for a capture, if that shows without reading them.
    ///
    /// A store that never reads more than was declared need not tell.
    func isOfOtherSize(_ submission: CaptureSubmission) async throws(QueueError) -> Bool

    /// Removes the bytes of a capture that was not enqueued after all.
    func remove(_ submission: CaptureSubmission) async throws(QueueError)

    /// Removes the bytes of settled captures, unless the queue removes them itself.
    ///
    /// Calling it again, or for bytes that are gone, is harmless.
    func removeSettled(_ captures: [CaptureID]) async throws(QueueError)

    /// Looks at a capture's bytes before its dead letter is discarded, and returns what removes them afterwards.
    ///
    /// As far as the store can tell, what was put after the look stays: the same bundle may be accepted again under the
    /// same id.
    func removal(of capture: CaptureID) async throws(QueueError) -> BundleRemoval
}

/// Removes bytes that were looked at before.
package typealias BundleRemoval = @Sendable () async throws(QueueError) -> Void

extension BundleStore {
    /// Whether it is this store's own name.
    package func holds(_ store: BundleStoreName) -> Bool { store == name }

    /// Tells nothing.
    package func isOfOtherSize(_ submission: CaptureSubmission) async throws(QueueError) -> Bool { false }

    /// Removes what is there when it is called.
    package func removal(of capture: CaptureID) async throws(QueueError) -> BundleRemoval {
        { () async throws(QueueError) in try await removeSettled([capture]) }
    }
}
