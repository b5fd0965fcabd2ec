package import CaptureModel

/// The queue as the sweep of bundles sees it.
package protocol SweepQueue: ReadableQueue {
    /// Whether the queue knows captures, in the order asked.
    ///
    /// A job that cannot be read counts as known, although it has no status.
    func knows(_ captures: [CaptureID]) async throws(QueueError) -> [Bool]
}
