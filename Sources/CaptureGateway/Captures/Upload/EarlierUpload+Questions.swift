import CaptureModel
import CaptureQueue
import CaptureStore

/// What queue and record know of an earlier upload.
extension EarlierUpload {
    /// Where a device's capture stands; `nil` when neither the queue nor the record knows it.
    func knownState(of capture: CaptureID, from device: DeviceID) async throws(APIError) -> CaptureState? {
        if let queued = try await queuedStatus(of: capture, from: device) {
            return try await confirmed(queued.state, of: capture)
        }
        return try await recordedState(of: capture)
    }

    /// Where a device's capture stands as the queue has it, and since when.
    func queuedStatus(of capture: CaptureID, from device: DeviceID) async throws(APIError) -> JobStatus? {
        try await askingQueue { () async throws(QueueError) in try await queue.status(of: capture, from: device) }
    }

    /// Where a capture stands as the record has it.
    func recordedState(of capture: CaptureID) async throws(APIError) -> CaptureState? {
        try await askingStore { () async throws(StoreError) -> CaptureState? in
            try await store.result(of: capture).map { CaptureState($0.verdict) }
        }
    }

    /// Whether the capture that the queue names for an upload is of other bytes.
    ///
    /// Gateways that hand off are not believed: neither the bundle digest that they declare, nor that they have stored
    /// bytes of the digests that they declare, which is looked at later. If neither the queue's job nor the record can
    /// be read, the queue is believed.
    ///
    /// In a store that is not configured here nobody can look for a capture's bytes. Once such a capture was given up and
    /// has no result, the upload is taken as another one.
    /// - Throws: As long as such a capture waits: it may be verified yet. Also if the record cannot tell of its result.
    func isAnother(
        _ named: CaptureID, in state: CaptureState, than bytes: UploadedBytes
    ) async throws(APIError) -> Bool {
        let submission = bytes.submission
        let job = try await askingQueue { () async throws(QueueError) -> ClaimedJob? in
            try await queue.job(of: named, from: submission.device)
        }
        // The store that nobody here can look into.
        var closed: BundleStoreName?
        if let job {
            // The bytes of a job that cannot be read are unknown.
            guard case .valid(let job) = job, job.submission.hasSameBytes(as: submission) else { return true }
            if !bundles.holds(job.submission.bundleStore) { closed = job.submission.bundleStore }
        }
        do throws(StoreError) {
            if let isSame = try await store.hasResult(of: named, for: submission) { return !isSame }
        } catch {
            guard closed == nil else { throw .unavailable(error) }
            return false
        }
        guard let closed else { return false }
        if state == .failed { return true }
        throw .unavailable(
            because: .busy("the bundle waits in the store \(closed), which this gateway is not configured for"))
    }

    /// Whether a capture that has a result came with another assertion than an upload.
    func hasOtherAssertion(_ first: CaptureID, than bytes: UploadedBytes) async throws(APIError) -> Bool {
        let kept = try await askingStore { () async throws(StoreError) -> UploadedEvidence? in
            try await store.uploaded(with: first)
        }
        return kept.map { $0.assertion != bytes.submission.assertion } ?? false
    }

    /// Where a capture stands that is answered in another one's place, whose row has ended.
    ///
    /// The queue is asked again: if it has lost the capture before that had a row, the other one may have been put back
    /// from its own. From now on the row that there is brings this one back.
    /// - Parameters:
    ///   - device: Whose it is.
    ///   - queued: What the queue said of it, if it knew it.
    ///   - state: Where it was seen to stand.
    func stateInPlace(
        of capture: CaptureID, from device: DeviceID, _ queued: JobStatus?, _ state: CaptureState
    ) async throws(APIError) -> CaptureState {
        // What the queue does not know was read from the record.
        if queued == nil { return state }
        guard let known = try await knownState(of: capture, from: device) else {
            throw .unavailable(because: .busy("the queue has lost the capture of the bundle just now"))
        }
        return known
    }

    /// The state that the queue tells, corrected by the record; throws if the record has lost the result.
    ///
    /// A worker that was taken for dead may have settled what the queue calls failed.
    ///
    /// The record may have been restored from an older backup, or a standby that was behind may have taken over. The
    /// queue remembers results only for a while. While the record cannot be asked, the queue is believed.
    func confirmed(_ state: CaptureState, of capture: CaptureID) async throws(APIError) -> CaptureState {
        guard state.isSettled || state == .failed else { return state }
        let result: ProvenanceResult?
        do throws(StoreError) { result = try await store.result(of: capture) } catch { return state }
        guard let result else {
            guard state.isSettled else { return state }
            throw .unavailable(because: .resultLost(capture))
        }
        return CaptureState(result.verdict)
    }
}
