import CaptureModel
import CaptureQueue
import CaptureStore
import FaultPoints
import Logging

/// Handles a bundle that was uploaded before: makes sure that its capture still exists, or enqueues it again.
struct EarlierUpload: Sendable {
    let queue: any UploadQueue & DeadLetterQueue
    let store: any CaptureStore
    let bundles: any BundleStore
    let restoring: RestoringEnqueue
    let faults: ArmedFaults

    /// Makes sure that a capture which was recorded earlier is not lost, and tells its state.
    ///
    /// The first attempt may have ended between row and queue, or have taken the row back since; or the queue may have
    /// lost the capture.
    func resume(
        _ first: CaptureID, _ standing: IntakeStanding, of upload: UploadedBytes, _ intake: UploadLedger
    ) async throws(APIError) -> CaptureState {
        let device = upload.submission.device
        if standing != .closed, let status = try await queuedStatus(of: first, from: device) {
            var back = try await redrive(status, by: upload)
            if back == nil { back = try await redriveFromRow(status, by: upload, intake) }
            if let (redriven, state) = back {
                // Its row keeps the bundle's own digest, by whatever digest the queue knows the bundle.
                try await intake.keep(redriven.with(bundleDigest: upload.submission.bundleDigest))
                return state
            }
            // What no worker has tried yet was stored by a gateway with a ledger, and is not read for each upload. The
            // attempts of what was put back are counted anew.
            if status.attempts > 0 || status.isRedriven { try await mend(status, by: upload) }
        }
        // The row was not claimed: a capture that the queue knows was enqueued together with its bytes.
        if standing != .claimed, let state = try await knownState(of: first, from: device) { return state }
        if let entry = try await intake.claim(first) {
            faults.reach(.afterClaimRow)
            try await enqueueAgain(entry, upload, intake)
            return try await knownState(of: first, from: device) ?? .queued
        }
        guard let state = try await knownState(of: first, from: device) else {
            throw .unavailable(because: .busy("the first upload of the bundle was withdrawn just now"))
        }
        return state
    }

    /// Enqueues a claimed capture again, with its bytes.
    ///
    /// - Parameter isAnew: Whether this is the second try, after the queue has forgotten a lost capture of the bundle.
    private func enqueueAgain(
        _ entry: IntakeEntry, _ upload: UploadedBytes, _ intake: UploadLedger, isAnew: Bool = false
    ) async throws(APIError) {
        let submission = entry.submission
        let bytes = upload.of(submission)
        try await askingQueue { () async throws(QueueError) in try await bytes.put() }
        let outcome = try await askingQueue { () async throws(QueueError) in
            try await restoring.enqueue(submission, bytes)
        }
        switch outcome {
        // The reconciler may have put it back first.
        case .accepted, .duplicate(of: submission.id):
            // Whoever discarded its dead letter just now may have removed the files before the queue knew it again.
            if submission.bundleStore != .redis { await bytes.restoreBytes() }
            try await confirmAgain(bytes, intake)
        case .duplicate(of: let other):
            do throws(APIError) {
                // The queue knows it by another digest: another capture had the bundle's own when it was enqueued.
                if try await queuedStatus(of: submission.id, from: submission.device) != nil {
                    await bytes.restoreBytes()
                    return try await confirmAgain(bytes, intake)
                }
                // The row stays, so that whoever sends the bundle again finds it.
                guard !isAnew, try await knownState(of: other, from: submission.device) == nil else {
                    throw .unavailable(because: .busy("the queue has the bundle as another capture"))
                }
                try await askingQueue { () async throws(QueueError) in try await forget(other, for: bytes) }
            } catch {
                await bytes.restoreBytes()
                throw error
            }
            try await enqueueAgain(entry, upload, intake, isAnew: true)
        case .full:
            await bytes.restoreBytes()
            throw .queueFull
        case .tooLarge:
            await bytes.restoreBytes()
            // It was recorded when the queue took it: the reconciler puts it back, whatever the limit is by now.
            throw .unavailable(because: .busy("the recorded capture is larger than the queue takes by now"))
        }
    }

    /// Records a capture that is queued again, and removes its bytes if it has its result already.
    private func confirmAgain(_ bytes: UploadedBytes, _ intake: UploadLedger) async throws(APIError) {
        try await intake.keep(bytes.submission)
        await restoring.removeIfSettled(bytes)
    }

    /// Makes the queue forget that a bundle was accepted as a capture that is lost.
    ///
    /// That capture was settled, and the record was then restored from an older backup.
    ///
    /// A 202 for the lost capture would promise nothing. The bytes have to be stored again: without a ledger, the
    /// answer that named the lost capture has removed them from Redis.
    func forget(_ lost: CaptureID, for bytes: UploadedBytes) async throws(QueueError) {
        let submission = bytes.submission
        _ = try await queue.forget(submission.bundleDigest, of: submission.device, acceptedAs: lost)
        bytes.logger.warning(
            "a bundle is taken anew: neither queue nor record knows the capture that it was accepted as",
            metadata: ["capture_id": "\(submission.id)"])
    }
}
