import CaptureModel
import CaptureQueue
import Logging

/// The bytes of one upload on their way into the bundle store, and out of it again when the upload is not accepted.
struct UploadedBytes: Sendable {
    let bundles: any BundleStore
    let submission: CaptureSubmission
    let media: CaptureMedia
    let logger: Logger

    /// Stores them under the capture's id; harmless when they are there already.
    func put() async throws(QueueError) {
        try await bundles.put(media, of: submission)
    }

    /// Stores them in the place of those that have changed in storage.
    func replace() async throws(QueueError) {
        try await bundles.replace(media, of: submission)
    }

    /// The same bytes for the capture that the queue has for the bundle.
    func of(_ first: CaptureID) -> UploadedBytes { of(submission.with(id: first)) }

    /// The same bytes as another submission of them.
    func of(_ submission: CaptureSubmission) -> UploadedBytes {
        UploadedBytes(bundles: bundles, submission: submission, media: media, logger: logger)
    }

    /// The same bytes under a bundle digest that does not lead the queue to another capture.
    func beside(_ other: CaptureID) -> UploadedBytes {
        of(submission.with(bundleDigest: BundleDigest.beside(other, of: submission.bundleDigest)))
    }

    /// Stores the bytes again if an answer removed them although the capture may be put back from its row.
    func restoreBytes() async {
        do throws(QueueError) {
            try await put()
        } catch {
            logger.warning(
                "the bytes of a capture that is put back from its row may be gone",
                metadata: ["capture_id": "\(submission.id)", "fault": "\(error)"])
        }
    }

    /// Removes what was not enqueued, if there is anything.
    ///
    /// A failure costs room for a while, nothing else. While the store is away each refused upload meets one: the
    /// outage has a line of its own.
    func remove() async {
        do throws(QueueError) {
            try await bundles.remove(submission)
        } catch {
            logger.debug(
                "what is stored of a capture that was not enqueued is left to its store, which removes it later",
                metadata: ["capture_id": "\(submission.id)", "fault": "\(error)"])
        }
    }
}
