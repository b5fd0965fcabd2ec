package import CaptureModel

/// The queue as gateways see it, who put captures in.
package protocol UploadQueue: ReadableQueue {
    /// Accepts a capture whose bytes are in the bundle store, or names the one that was accepted before.
    ///
    /// One that has become a dead letter for want of its bytes is put back: they are there again.
    func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome

    /// Forgets that a bundle was accepted, where it leads to that capture and nothing is known of that here.
    ///
    /// For whoever has found that the record knows nothing of it either: the bundle is new then.
    /// - Returns: `false` when the bundle leads elsewhere or the capture is known: nothing was changed then.
    func forget(
        _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
    ) async throws(QueueError) -> Bool

    /// The capture that a bundle was accepted as, for as long as that is known here.
    func accepted(_ bundle: SHA256Digest) async throws(QueueError) -> CaptureID?

    /// A device's capture that waits or is a dead letter, as whoever enqueued it has described it; `nil` when there is
    /// none.
    ///
    /// The digest by which the queue tells duplicates is the word of whoever handed the first one off.
    func job(of capture: CaptureID, from device: DeviceID) async throws(QueueError) -> ClaimedJob?
}

/// What became of a submission.
package enum EnqueueOutcome: Sendable, Equatable {
    /// Accepted for good, under its own id.
    case accepted
    /// The same bundle was accepted before, under this id; the new bytes are not needed.
    case duplicate(of: CaptureID)
    /// A limit on queued captures or bytes is reached; nothing was kept.
    case full
}
