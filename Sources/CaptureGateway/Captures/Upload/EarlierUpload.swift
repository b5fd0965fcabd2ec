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

    /// Makes sure that a capture which was recorded earlier is not lost, and tells its state, or that of the capture that
    /// the queue has of the bundle in its place.
    ///
    /// The first attempt may have ended between row and queue, or have taken the row back since; or the queue may have
    /// lost the capture.
    func resume(
        _ first: CaptureID, _ standing: IntakeStanding, of upload: UploadedBytes, _ intake: UploadLedger
    ) async throws(APIError) -> (capture: CaptureID, state: CaptureState) {
        let device = upload.submission.device
        if standing != .closed, let status = try await queuedStatus(of: first, from: device) {
            var back = try await redrive(status, by: upload)
            if back == nil { back = try await redriveFromRow(status, by: upload, intake) }
            if let (redriven, state) = back {
                // Its row keeps the bundle's own digest, by whatever digest the queue knows the bundle.
                try await intake.keep(redriven.with(bundleDigest: upload.submission.bundleDigest))
                return (first, state)
            }
            // What no worker has tried yet was stored by a gateway with a ledger, and is not read for each upload. The
            // attempts of what was put back are counted anew.
            if status.attempts > 0 || status.isRedriven { try await mend(status, by: upload) }
        }
        // The row was not claimed: a capture that the queue knows was enqueued together with its bytes.
        if standing != .claimed, let state = try await knownState(of: first, from: device) { return (first, state) }
        if let entry = try await intake.claim(first) {
            faults.reach(.afterClaimRow)
            return try await enqueueAgain(entry, upload, intake)
        }
        guard let state = try await knownState(of: first, from: device) else {
            throw .unavailable(because: .busy("the first upload of the bundle was withdrawn just now"))
        }
        return (first, state)
    }

    /// Enqueues a claimed capture again, with its bytes.
    /// - Returns: The capture that there is of the bundle then, and its state: another one if the queue has the bundle as
    ///   that.
    private func enqueueAgain(
        _ entry: IntakeEntry, _ upload: UploadedBytes, _ intake: UploadLedger
    ) async throws(APIError) -> (capture: CaptureID, state: CaptureState) {
        let row = entry.submission
        var bytes = upload.of(row)
        for _ in 0...Acceptance.otherCapturesMax {
            try await askingQueue { [bytes] () async throws(QueueError) in try await bytes.put() }
            let outcome = try await askingQueue { [bytes] () async throws(QueueError) in
                try await restoring.enqueue(bytes.submission, bytes)
            }
            switch outcome {
            // The reconciler may have put it back first.
            case .accepted, .duplicate(of: row.id):
                // Whoever discarded its dead letter just now may have removed the files before the queue knew it again.
                if row.bundleStore != .redis { await bytes.restoreBytes() }
                return try await confirmAgain(upload.of(row), intake)
            case .duplicate(of: let other):
                switch try await relation(of: other, to: bytes) {
                case nil: return try await confirmAgain(upload.of(row), intake)
                case .same(let queued, let state)?: return try await giveWay(bytes, to: other, queued, state, intake)
                case .nowhere?: continue
                case .another?: bytes = bytes.beside(other)
                }
            case .full:
                await bytes.restoreBytes()
                throw .queueFull
            case .tooLarge:
                await bytes.restoreBytes()
                // It was recorded when the queue took it: the reconciler puts it back, whatever the limit is by now.
                throw .unavailable(because: .busy("the recorded capture is larger than the queue takes by now"))
            }
        }
        await bytes.restoreBytes()
        throw .unavailable(because: .busy("the bundle is known as captures that are nowhere, or not its own"))
    }

    /// How the capture that the queue names for a claimed one's bundle relates to it; a lost one is forgotten.
    /// - Returns: `nil` if the queue knows the claimed one by another digest: another capture had the bundle's own when
    ///   it was enqueued.
    private func relation(of other: CaptureID, to bytes: UploadedBytes) async throws(APIError) -> Named? {
        let submission = bytes.submission
        do throws(APIError) {
            if try await queuedStatus(of: submission.id, from: submission.device) != nil {
                await bytes.restoreBytes()
                return nil
            }
            let relation = try await named(other, for: bytes)
            if case .nowhere = relation {
                try await askingQueue { () async throws(QueueError) in try await forget(other, for: bytes) }
            }
            return relation
        } catch {
            await bytes.restoreBytes()
            throw error
        }
    }

    /// Answers with the capture that the queue has of a claimed row's bundle, and ends the row.
    private func giveWay(
        _ bytes: UploadedBytes, to other: CaptureID, _ queued: JobStatus?, _ state: CaptureState,
        _ intake: UploadLedger
    ) async throws(APIError) -> (capture: CaptureID, state: CaptureState) {
        try await intake.giveWay(bytes, to: queued)
        await bytes.remove()
        return (other, try await stateInPlace(of: other, from: bytes.submission.device, queued, state))
    }

    /// Records a capture that is queued again, and removes its bytes if it has its result already.
    private func confirmAgain(
        _ bytes: UploadedBytes, _ intake: UploadLedger
    ) async throws(APIError) -> (capture: CaptureID, state: CaptureState) {
        let submission = bytes.submission
        try await intake.keep(submission)
        await restoring.removeIfSettled(bytes)
        return (submission.id, try await knownState(of: submission.id, from: submission.device) ?? .queued)
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
