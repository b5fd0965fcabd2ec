import CaptureModel
import CaptureQueue
import CaptureStore
import FaultPoints
import Logging

/// The earlier upload of a bundle that has come once more: its capture is not lost, or becomes one again.
struct EarlierUpload: Sendable {
    let queue: any UploadQueue
    let store: any CaptureStore
    let bundles: any BundleStore
    let restoring: RestoringEnqueue
    let faults: Faults

    /// Where a capture stands that was recorded earlier, once it is certain that it is not lost.
    ///
    /// The first attempt may have ended between row and queue, or have taken the row back since; and the queue may have
    /// lost the capture.
    func resume(
        _ first: CaptureID, _ standing: IntakeStanding, of upload: CaptureSubmission, _ media: CaptureBundle,
        _ intake: UploadLedger, _ logger: Logger
    ) async throws(APIError) -> CaptureState {
        if standing != .closed, let (revived, state) = try await revive(first, of: upload.device, media, logger) {
            // Its row has the bundle's own digest, by whatever one the queue knows it.
            try await intake.keep(revived.with(bundleDigest: upload.bundleDigest))
            return state
        }
        // Its row was left alone: what the queue knows was put there with its bytes.
        if standing != .claimed, let state = try await knownState(of: first) { return state }
        if let entry = try await intake.claim(first) {
            faults.reach(.afterClaimRow)
            try await enqueueAgain(entry, media, intake, logger)
            return try await knownState(of: first) ?? .queued
        }
        guard let state = try await knownState(of: first) else {
            throw .unavailable(StoreError(.conflict, "the first upload of the bundle was withdrawn just now"))
        }
        return state
    }

    /// Puts a capture into the queue that was claimed, with its bytes.
    ///
    /// - Parameter isAnew: Whether the bundle was known as another capture, which is nowhere, and has been forgotten.
    private func enqueueAgain(
        _ entry: IntakeEntry, _ media: CaptureBundle, _ intake: UploadLedger, _ logger: Logger, isAnew: Bool = false
    ) async throws(APIError) {
        let submission = entry.submission
        let bytes = UploadedMedia(bundles: bundles, submission: submission, media: media, logger: logger)
        do throws(QueueError) { try await bytes.put() } catch { throw bytes.unavailable(error) }
        let outcome = try await askingQueue { () async throws(QueueError) in
            try await restoring.enqueue(submission, bytes)
        }
        switch outcome {
        // The reconciler may have put it back first.
        case .accepted, .duplicate(of: submission.id): try await confirmAgain(bytes, intake)
        case .duplicate(of: let other):
            do throws(APIError) {
                // Known by another digest, as the bundle's own was taken when it came.
                if try await queuedState(of: submission.id) != nil {
                    await bytes.restoreBytes()
                    return try await confirmAgain(bytes, intake)
                }
                // Its row stands, and whoever sends the bundle again finds it.
                guard !isAnew, try await knownState(of: other) == nil else {
                    throw .unavailable(StoreError(.conflict, "the queue has the bundle as another capture"))
                }
                try await askingQueue { () async throws(QueueError) in try await forget(other, for: bytes) }
            } catch {
                await bytes.restoreBytes()
                throw error
            }
            try await enqueueAgain(entry, media, intake, logger, isAnew: true)
        case .full:
            await bytes.restoreBytes()
            throw .queueFull
        }
    }

    /// Sees to it that what the queue has once more has its row, and no bytes where it has its result.
    private func confirmAgain(_ bytes: UploadedMedia, _ intake: UploadLedger) async throws(APIError) {
        try await intake.keep(bytes.submission)
        await restoring.removeIfSettled(bytes)
    }

    /// Has the queue forget that a bundle was accepted as a capture that is nowhere: it was settled, and the record was
    /// restored from a backup of before.
    ///
    /// A 202 for it would be one for nothing. The bytes have to be stored again: the answer that named the other capture
    /// has removed them where they are in Redis, unless there is a ledger.
    func forget(_ lost: CaptureID, for bytes: UploadedMedia) async throws(QueueError) {
        let submission = bytes.submission
        _ = try await queue.forget(submission.bundleDigest, of: submission.device, acceptedAs: lost)
        bytes.logger.warning(
            "a bundle is taken anew: neither queue nor record knows the capture that it was accepted as",
            metadata: ["capture_id": "\(submission.id)"])
    }
}
