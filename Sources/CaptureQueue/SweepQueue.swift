package import CaptureModel

/// The queue as the sweep of bundles sees it.
package protocol SweepQueue: ReadableQueue {
    /// Whether there is anything of captures here, in the order asked.
    ///
    /// A job that cannot be read is known all the same, and has no status.
    func knows(_ captures: [CaptureID]) async throws(QueueError) -> [Bool]
}
