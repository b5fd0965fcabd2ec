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
        _ first: CaptureID, _ standing: IntakeStanding, _ media: CaptureBundle, _ intake: UploadLedger, _ logger: Logger
    ) async throws(APIError) -> CaptureState {
        // Its row was left alone: what the queue knows was put there with its bytes, which a dead letter may have lost.
        if standing != .claimed, let state = try await knownState(of: first), state != .failed { return state }
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
        let outcome = try await queued { () async throws(QueueError) in
            try await restoring.enqueue(submission, bytes)
        }
        switch outcome {
        // The reconciler may have put it back first.
        case .accepted, .duplicate(of: submission.id):
            try await intake.keep(submission)
            await restoring.removeIfSettled(bytes)
        case .duplicate(of: let other):
            // Its row stands, and whoever sends the bundle again finds it.
            guard !isAnew, try await knownState(of: other) == nil else {
                await bytes.putAgain()
                throw .unavailable(StoreError(.conflict, "the queue has the bundle as another capture"))
            }
            try await queued { () async throws(QueueError) in try await forget(other, for: bytes) }
            try await enqueueAgain(entry, media, intake, logger, isAnew: true)
        case .full:
            await bytes.putAgain()
            throw .queueFull
        }
    }

    /// Has the queue forget that a bundle was accepted as a capture that is nowhere: it was settled, and the record was
    /// restored from a backup of before.
    ///
    /// A 202 for it would be one for nothing. The bytes have to be stored again: the answer that named the other capture
    /// has removed them where they are in Redis.
    func forget(_ lost: CaptureID, for bytes: UploadedMedia) async throws(QueueError) {
        let submission = bytes.submission
        _ = try await queue.forget(submission.bundleDigest, of: submission.device, acceptedAs: lost)
        bytes.logger.warning(
            "a bundle is taken anew: neither queue nor record knows the capture that it was accepted as",
            metadata: ["capture_id": "\(submission.id)"])
    }

    /// Where a capture stands; `nil` when neither the queue nor the record knows it.
    private func knownState(of capture: CaptureID) async throws(APIError) -> CaptureState? {
        if let state = try await queuedState(of: capture) { return try await confirmed(state, of: capture) }
        return try await recordedState(of: capture)
    }

    /// Where a capture stands as the queue has it.
    func queuedState(of capture: CaptureID) async throws(APIError) -> CaptureState? {
        try await queued { () async throws(QueueError) -> CaptureState? in
            try await queue.status(of: [capture])[0]?.state
        }
    }

    /// Where a capture stands as the record has it.
    func recordedState(of capture: CaptureID) async throws(APIError) -> CaptureState? {
        try await stored { () async throws(StoreError) -> CaptureState? in
            try await store.results(of: [capture])[capture].map { CaptureState($0.verdict) }
        }
    }

    /// Whether the capture that the queue names for an upload is of other bytes.
    ///
    /// Gateways that hand off are not believed: neither the digests that they declare nor that they have stored such
    /// bytes. Where neither the queue's job nor the record can be read, the queue is.
    func isAnother(_ named: CaptureID, than bytes: UploadedMedia) async throws(APIError) -> Bool {
        let submission = bytes.submission
        let job = try await queued { () async throws(QueueError) -> ClaimedJob? in
            try await queue.job(of: named, from: submission.device)
        }
        if let job {
            // A job that cannot be read is of no bytes that are known.
            guard case .valid(let job) = job, job.submission.hasSameBytes(as: submission) else { return true }
            if try await keepsOther(than: bytes.media, for: job.submission) { return true }
        }
        do throws(StoreError) {
            guard let result = try await store.results(of: [named])[named] else { return false }
            guard result.hasDigests(of: submission) else { return true }
            guard let uploaded = try await store.uploaded(with: named) else { return false }
            return uploaded.assertion != submission.assertion
        } catch {
            return false
        }
    }

    /// Whether other bytes are kept for a capture than those that it declares; such as are gone, or cannot be read here,
    /// are not.
    private func keepsOther(
        than media: CaptureBundle, for submission: CaptureSubmission
    ) async throws(APIError) -> Bool {
        let fetched = try await queued(from: submission.bundleServer) { () async throws(QueueError) in
            try await bundles.fetch([submission])
        }
        return fetched.first?.bundle.map { $0 != media } ?? false
    }

    /// Brings a dead letter, which may have died for want of them, the bytes of its bundle; tells where it stands then.
    func revive(_ named: CaptureID, with bytes: UploadedMedia) async throws(APIError) -> CaptureState? {
        let copy = bytes.of(named)
        do throws(QueueError) { try await copy.put() } catch { throw copy.unavailable(error) }
        let outcome = try await queued { () async throws(QueueError) in
            try await restoring.enqueue(copy.submission, copy)
        }
        guard outcome == .accepted else {
            throw .unavailable(StoreError(.conflict, "the capture of the bundle was discarded just now"))
        }
        return try await queuedState(of: named)
    }

    /// A state that the queue tells, unless it is a result that the record has lost.
    ///
    /// The record may have been restored from a backup of before, or a standby that was behind have taken over. The queue
    /// remembers results for a while only. While the record cannot be asked the queue is believed.
    func confirmed(_ state: CaptureState, of capture: CaptureID) async throws(APIError) -> CaptureState {
        guard state == .verified || state == .rejected else { return state }
        let result: ProvenanceResult?
        do throws(StoreError) { result = try await store.results(of: [capture])[capture] } catch { return state }
        guard let result else {
            throw .unavailable(StoreError(.conflict, "the record has lost the result of the bundle's first upload"))
        }
        return CaptureState(result.verdict)
    }
}

extension ProvenanceResult {
    /// Whether it is of a submission's device, binding, media and metadata.
    fileprivate func hasDigests(of submission: CaptureSubmission) -> Bool {
        device == submission.device && binding == submission.binding && photoDigest == submission.photoDigest
            && depthDigest == submission.depthDigest && metadataDigest == .hash(submission.metadata)
    }
}
