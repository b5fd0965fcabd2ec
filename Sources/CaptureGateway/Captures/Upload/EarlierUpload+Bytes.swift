import CaptureModel
import CaptureQueue
import CaptureStore

/// Brings the bytes of an earlier upload back, where their store has lost or changed them.
///
/// Only bytes of the digests that the queue's job has are stored: good bytes can only be replaced by the same.
extension EarlierUpload {
    /// Redrives a dead letter that died because its bytes were missing, or while they were others than its own.
    ///
    /// It takes the queue's own submission, as the bundle may be known by another digest than its own.
    ///
    /// A dead letter of any other reason is looked at too, and its bytes are replaced first. Where Redis fails between
    /// that and putting it back, the bundle gets 503. When it comes again, the bytes are the letter's own: it stays a
    /// dead letter, and the upload is told so. An operator's redrive then works.
    /// - Returns: The submission and its state then; `nil` if the capture is no such dead letter.
    func redrive(
        _ status: JobStatus, by upload: UploadedBytes
    ) async throws(APIError) -> (submission: CaptureSubmission, state: CaptureState)? {
        guard status.state == .failed, let submission = try await submission(of: status.id, ifOf: upload) else {
            return nil
        }
        let isMissing = status.reason == .bundleMissing
        if !isMissing, status.reason != .bundleCorrupt {
            guard try await keepsOther(than: upload, for: submission) else { return nil }
        }
        let bytes = upload.of(submission)
        guard try await areBack(bytes) else { return nil }
        // Enqueuing puts back what had no bytes; the queue cannot see that bytes were replaced.
        if !isMissing {
            _ = try await askingQueue { () async throws(QueueError) in
                try await queue.redrive(status.id, from: submission.device)
            }
        }
        return try await putBack(bytes)
    }

    /// Redrives a dead letter from its open row if its job is not of the bundle, or names a store that is not
    /// configured here: Redis has lost or changed the job.
    /// - Returns: The submission and its state then; `nil` if the capture is no such dead letter.
    func redriveFromRow(
        _ status: JobStatus, by upload: UploadedBytes, _ intake: UploadLedger
    ) async throws(APIError) -> (submission: CaptureSubmission, state: CaptureState)? {
        guard status.state == .failed, try await submission(of: status.id, ifOf: upload) == nil,
            let submission = try await intake.claim(status.id)?.submission,
            submission.hasSameBytes(as: upload.submission)
        else { return nil }
        let bytes = upload.of(submission)
        guard try await areBack(bytes) else { return nil }
        try await askingQueue { () async throws(QueueError) in
            // If it is no dead letter any more, somebody else has put it back or discarded it: the next call tells.
            _ = try await queue.redrive(as: submission)
        }
        return try await putBack(bytes)
    }

    /// Brings the bytes to the store in which the capture's workers look for them; `false` if it takes none from here.
    private func areBack(_ bytes: UploadedBytes) async throws(APIError) -> Bool {
        do throws(QueueError) {
            // Where one of photo and depth map is missing, the other may have changed.
            try await bytes.replace()
            try await bytes.put()
            return true
        } catch {
            if error.code == .refused { return false }
            throw .unavailable(error)
        }
    }

    /// Replaces the bytes of a capture that waits, if those that are stored are not its own.
    ///
    /// They have changed, or whoever handed it off has stored others than it declared. In another store than the
    /// upload's they are stored if there are none: nobody looks there for the copy that goes with the upload's row.
    /// - Throws: If a worker may have read the old bytes, or found none: it may give the capture up for that. Whoever
    ///   sends the bundle again puts it back then.
    func mend(_ status: JobStatus, by upload: UploadedBytes) async throws(APIError) {
        guard status.state.isWaiting, let submission = try await submission(of: status.id, ifOf: upload) else { return }
        let bytes = upload.of(submission)
        if submission.bundleStore != upload.submission.bundleStore {
            try await askingQueue { () async throws(QueueError) in try await bytes.put() }
            // Those in Redis would expire while the capture waits.
            _ = try await keep(bytes)
        }
        guard try await keepsOther(than: upload, for: submission) else { return }
        try await askingQueue { () async throws(QueueError) in try await bytes.replace() }
        _ = try await keep(bytes)
        let state = try await queuedStatus(of: status.id, from: submission.device)?.state
        guard state == .processing || state == .failed else { return }
        throw .unavailable(because: .busy("the capture's bytes were replaced while a worker had it"))
    }

    /// Enqueues a capture that the queue has, as the last step of what is changed about it.
    ///
    /// Where the queue waits for replicas, they have everything then that was written before.
    private func keep(_ bytes: UploadedBytes) async throws(APIError) -> EnqueueOutcome {
        try await askingQueue { () async throws(QueueError) in try await restoring.enqueue(bytes.submission, bytes) }
    }

    /// Ends the redrive of a capture that has its bytes again.
    /// - Returns: The submission and its state.
    private func putBack(
        _ bytes: UploadedBytes
    ) async throws(APIError) -> (submission: CaptureSubmission, state: CaptureState) {
        let submission = bytes.submission
        let outcome = try await keep(bytes)
        // Whoever discarded the dead letter just now may have removed the files before the queue knew it again.
        if outcome == .accepted, submission.bundleStore != .redis {
            await bytes.restoreBytes()
            await restoring.removeIfSettled(bytes)
        }
        guard outcome == .accepted, let state = try await knownState(of: submission.id, from: submission.device) else {
            throw .unavailable(because: .busy("the capture of the bundle was discarded just now"))
        }
        return (submission, state)
    }

    /// What the queue's job says of a capture, if that is of an upload's bytes, in a store that is configured here.
    private func submission(
        of capture: CaptureID, ifOf upload: UploadedBytes
    ) async throws(APIError) -> CaptureSubmission? {
        let job = try await askingQueue { () async throws(QueueError) in
            try await queue.job(of: capture, from: upload.submission.device)
        }
        guard case .valid(let job)? = job, job.submission.hasSameBytes(as: upload.submission),
            bundles.holds(job.submission.bundleStore)
        else { return nil }
        return job.submission
    }

    /// Whether the bytes stored for a capture differ from an upload's.
    ///
    /// `false` if they are gone.
    private func keepsOther(
        than upload: UploadedBytes, for submission: CaptureSubmission
    ) async throws(APIError) -> Bool {
        let fetched = try await askingQueue { () async throws(QueueError) -> [FetchedMedia]? in
            // Whoever has written over them may have left more than can be read.
            if try await bundles.isOfOtherSize(submission) { return nil }
            return try await bundles.fetch([submission])
        }
        guard let fetched else { return true }
        return fetched.first?.media.map { $0 != upload.media } ?? false
    }
}
