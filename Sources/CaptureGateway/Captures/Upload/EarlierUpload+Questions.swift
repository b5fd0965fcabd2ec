import CaptureModel
import CaptureQueue
import CaptureStore
import Logging

/// What queue and record know of an earlier upload.
extension EarlierUpload {
    /// Where a capture stands; `nil` when neither the queue nor the record knows it.
    func knownState(of capture: CaptureID) async throws(APIError) -> CaptureState? {
        if let queued = try await queuedStatus(of: capture) { return try await confirmed(queued.state, of: capture) }
        return try await recordedState(of: capture)
    }

    /// Where a capture stands as the queue has it, and since when.
    func queuedStatus(of capture: CaptureID) async throws(APIError) -> JobStatus? {
        try await askingQueue { () async throws(QueueError) in try await queue.status(of: capture) }
    }

    /// Where a capture stands as the record has it.
    func recordedState(of capture: CaptureID) async throws(APIError) -> CaptureState? {
        try await askingStore { () async throws(StoreError) -> CaptureState? in
            try await store.result(of: capture).map { CaptureState($0.verdict) }
        }
    }

    /// Whether the capture that the queue names for an upload is of other bytes.
    ///
    /// Gateways that hand off are not believed: neither their declared digests, nor that they have stored such bytes.
    /// If neither the queue's job nor the record can be read, the queue is believed.
    func isAnother(_ named: CaptureID, than bytes: UploadedBytes) async throws(APIError) -> Bool {
        let submission = bytes.submission
        let job = try await askingQueue { () async throws(QueueError) -> ClaimedJob? in
            try await queue.job(of: named, from: submission.device)
        }
        if let job {
            // The bytes of a job that cannot be read are unknown.
            guard case .valid(let job) = job, job.submission.hasSameBytes(as: submission) else { return true }
            if try await keepsOther(than: bytes.media, for: job.submission) { return true }
        }
        do throws(StoreError) {
            guard let result = try await store.result(of: named) else { return false }
            guard result.hasDigests(of: submission) else { return true }
            guard let uploaded = try await store.uploaded(with: named) else { return false }
            return uploaded.assertion != submission.assertion
        } catch {
            return false
        }
    }

    /// Whether the bytes stored for a capture differ from this upload's.
    ///
    /// `false` if they are gone or their store is not configured here.
    private func keepsOther(
        than media: CaptureMedia, for submission: CaptureSubmission
    ) async throws(APIError) -> Bool {
        let fetched = try await askingQueue { () async throws(QueueError) in
            try await bundles.fetch([submission])
        }
        return fetched.first?.media.map { $0 != media } ?? false
    }

    /// Revives a dead letter that died because its bytes were missing.
    ///
    /// It takes the queue's own submission, as the bundle may be known by another digest than its own.
    /// - Returns: The submission and its state then; `nil` if the capture is no such dead letter.
    func revive(
        _ capture: CaptureID, of device: DeviceID, _ media: CaptureMedia, _ logger: Logger
    ) async throws(APIError) -> (CaptureSubmission, CaptureState)? {
        let status = try await queuedStatus(of: capture)
        guard status?.state == .failed, status?.reason == .bundleMissing else { return nil }
        let job = try await askingQueue { () async throws(QueueError) in
            try await queue.job(of: capture, from: device)
        }
        guard case .valid(let job)? = job else { return nil }
        let bytes = UploadedBytes(bundles: bundles, submission: job.submission, media: media, logger: logger)
        do throws(QueueError) {
            try await bytes.put()
        } catch {
            // The store in which its workers look for the bytes refuses them from here.
            if error.code == .refused { return nil }
            throw .unavailable(error)
        }
        let outcome = try await askingQueue { () async throws(QueueError) in
            try await restoring.enqueue(job.submission, bytes)
        }
        guard outcome == .accepted, let state = try await knownState(of: capture) else {
            throw .unavailable(because: .busy("the capture of the bundle was discarded just now"))
        }
        return (job.submission, state)
    }

    /// The state that the queue tells, corrected by the record; throws if the record has lost the result.
    ///
    /// The record may have been restored from an older backup, or a standby that was behind may have taken over. The
    /// queue remembers results only for a while. While the record cannot be asked, the queue is believed.
    func confirmed(_ state: CaptureState, of capture: CaptureID) async throws(APIError) -> CaptureState {
        guard state == .verified || state == .rejected else { return state }
        let result: ProvenanceResult?
        do throws(StoreError) { result = try await store.result(of: capture) } catch { return state }
        guard let result else { throw .unavailable(because: .resultLost(capture)) }
        return CaptureState(result.verdict)
    }
}

extension ProvenanceResult {
    /// Whether the result has a submission's device, binding, media and metadata.
    fileprivate func hasDigests(of submission: CaptureSubmission) -> Bool {
        device == submission.device && binding == submission.binding && photoDigest == submission.photoDigest
            && depthDigest == submission.depthDigest && metadataDigest == .hash(submission.metadata)
    }
}
