package import CaptureModel
package import CaptureQueue

/// Bytes in memory that a test's own type does one thing differently with.
package protocol ForwardingBundles: BundleStore {
    /// What does the rest.
    var memory: MemoryBundleStore { get }
}

extension ForwardingBundles {
    /// The name of the store in memory.
    package var name: BundleStoreName { memory.name }

    /// Stores bytes.
    package func put(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        try await memory.put(media, of: submission)
    }

    /// Replaces bytes.
    package func replace(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        try await memory.replace(media, of: submission)
    }

    /// Fetches bytes.
    package func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] {
        try await memory.fetch(submissions)
    }

    /// Removes the bytes of a capture that was not enqueued.
    package func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        try await memory.remove(submission)
    }

    /// Removes the bytes of settled captures.
    package func removeSettled(_ captures: [CaptureID]) async throws(QueueError) {
        try await memory.removeSettled(captures)
    }
}
