import CaptureModel
import CaptureQueue
import CaptureStore

/// Keeps the ledger's rows of captures that are acted on: what Redis loses and has no row is lost.
extension QueueActions {
    /// Reinstates the row of a capture that was not discarded; returns the fault if that failed.
    func reinstate(_ row: IntakeEntry?) async -> StoreError? {
        guard let ledger, let row else { return nil }
        do throws(StoreError) {
            try await ledger.reinstate(row)
            return nil
        } catch {
            return error
        }
    }

    /// Reinstates the row of a capture whose discard had no answer, unless the queue has the capture no more.
    ///
    /// The row of a capture that is gone would bring it back. If the queue still discards it after this look, the row
    /// does so as well; then it can be discarded once more, while a capture without a row may be lost.
    /// - Returns: Whether the queue may have the capture, without a row.
    func isRowless(_ capture: CaptureID, _ row: IntakeEntry?) async -> Bool {
        guard row != nil else { return false }
        do throws(QueueError) {
            guard try await queue.status(of: capture) != nil else { return false }
        } catch {
            return true
        }
        return await reinstate(row) != nil
    }

    /// What was accepted according to a dead letter's open row, if its job is missing, unreadable or of other content.
    ///
    /// Redis has lost or changed such a job, so it is put back from its row, which is claimed for that.
    func acceptedUnlikeJob(_ letter: DeadLetter) async throws(ServerFault) -> CaptureSubmission? {
        guard let ledger else { return nil }
        let row = try await ServerFault.askingStore { () async throws(StoreError) in
            try await ledger.entries(of: [letter.id]).first
        }
        guard let row else { return nil }
        let job = try await ServerFault.askingQueue { () async throws(QueueError) in
            try await queue.job(of: letter.id, from: letter.status.device)
        }
        if let submission = job?.submission, submission.hasSameBytes(as: row.submission) { return nil }
        return try await ServerFault.askingStore { () async throws(StoreError) in
            try await ledger.claim(letter.id)?.submission
        }
    }

    /// Records a dead letter again that has no row, before it is put back; returns whether it did.
    ///
    /// A discard whose program was killed, or whose answer was lost, has taken the row and left the capture. If the
    /// bundle was recorded as another capture since, that one has the row.
    func isRecordedAgain(_ letter: DeadLetter) async throws(ServerFault) -> Bool {
        guard let ledger, isLedgerKept else { return false }
        let known = try await ServerFault.askingStore { () async throws(StoreError) in
            try await ledger.accepted([letter.id])
        }
        guard known.isEmpty else { return false }
        let job = try await ServerFault.askingQueue { () async throws(QueueError) in
            try await queue.job(of: letter.id, from: letter.status.device)
        }
        // A job that cannot be read cannot be worked either: it would become a dead letter again.
        guard let submission = job?.submission?.withOwnDigest else { return false }
        // With the time of now, it might be called younger than a revocation of its device; and with a later step to
        // correct that, it would stay so if the step failed.
        let row = IntakeEntry(
            submission: submission, place: IntakeEntry.nextPlace,
            recordedAt: submission.receivedAt ?? letter.status.receivedAt, notedDeadAt: letter.diedAt, claimedAt: nil)
        do throws(StoreError) {
            // The row of a verified capture has gone with its result.
            guard try await store.result(of: letter.id) == nil else { return false }
            try await ledger.reinstate(row)
            return true
        } catch {
            // Its bundle was recorded as another capture.
            if error.code == .refused, error.scope == .content { return false }
            throw .store(error)
        }
    }

    /// Takes the row of a capture away again that somebody discarded while it was recorded: it would bring it back.
    func withdrawIfGone(_ capture: CaptureID) async throws(ServerFault) {
        let status = try await ServerFault.askingQueue { () async throws(QueueError) in
            try await queue.status(of: capture)
        }
        guard status == nil else { return }
        _ = try await ServerFault.askingStore { () async throws(StoreError) in try await ledger?.withdraw(capture) }
    }
}

extension CaptureSubmission {
    /// The submission with the digest of its own bundle.
    ///
    /// The queue may know it by another one: its sender declared that, and it may be another genuine bundle's.
    fileprivate var withOwnDigest: CaptureSubmission {
        with(
            bundleDigest: BundleDigest.compute(
                device: device, assertion: .hash(assertion), photo: photoDigest, depth: depthDigest,
                metadata: .hash(metadata)))
    }
}
