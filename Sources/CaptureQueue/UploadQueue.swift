package import CaptureModel

/// The queue as gateways see it, which put captures in.
package protocol UploadQueue: ReadableQueue {
    /// Accepts a capture whose bytes are in the bundle store, or names the one that was accepted before.
    ///
    /// If that capture is a dead letter because its bytes were missing, it is put back: the bytes are there again.
    func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome

    /// Forgets that a bundle was accepted as the given capture, if the queue does not know that capture any more.
    ///
    /// For a caller who found that the record does not know the capture either: the bundle then counts as new.
    /// - Returns: `false`, with nothing changed, when the bundle leads to another capture or the capture is known.
    func forget(
        _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
    ) async throws(QueueError) -> Bool

    /// The capture that a bundle was accepted as, for as long as the queue remembers it.
    func accepted(_ bundle: SHA256Digest) async throws(QueueError) -> CaptureID?
}

/// What became of a submission.
package enum EnqueueOutcome: Sendable, Equatable {
    /// Accepted for good, under its own id.
    case accepted
    /// The same bundle was accepted before, under this id; the new bytes are not needed.
    case duplicate(of: CaptureID)
    /// A limit on queued captures or bytes is reached; nothing was kept.
    case full
    /// Photo or depth map is larger than the queue takes; nothing was kept.
    case tooLarge(CaptureMedia.Part, bytesMax: Int)
}
