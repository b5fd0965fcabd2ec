import CaptureModel
import CaptureQueue
import CaptureStore
import FaultPoints
import Logging
import NIOCore

/// Hands a bundle over to the queue: bytes first, then the ledger's row where there is a ledger, then the capture, in
/// that order ([R-CP-2]).
struct Acceptance: Sendable {
    private let dependencies: GatewayDependencies
    private let handOff: HandOff
    private let intake: IntakeDoor?

    /// What became of a bundle.
    struct Receipt: Sendable, Equatable {
        /// The capture's id; the same for the same bundle.
        let id: CaptureID
        /// Where it stands.
        let state: CaptureState
        /// Whether the same bundle was accepted before.
        let isDuplicate: Bool
    }

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies, journal: IntakeJournal?) {
        self.dependencies = dependencies
        let handOff = HandOff(
            queue: dependencies.queue, restoreWait: configuration.restoreWait, onRestoring: dependencies.onRestoring)
        self.handOff = handOff
        intake = dependencies.intake.flatMap { ledger in
            journal.map {
                IntakeDoor(ledger: ledger, journal: $0, withdrawalAgeMax: configuration.intakeGrace / 2)
            }
        }
    }

    /// Accepts a bundle for good, or throws.
    ///
    /// What throws has kept nothing, unless it cannot be told what was kept: then it stays, for the reconciler or for the
    /// same bundle sent again.
    func accept(
        _ bundle: UploadedBundle, of device: DeviceID, traceParent: String?, logger: Logger
    ) async throws(APIError) -> Receipt {
        let received = dependencies.now()
        var generator = dependencies.generator
        let id = CaptureID.make(at: received, using: &generator)
        let submission = submission(
            id: id, bundle, device: device, receivedAt: received, traceParent: traceParent
        )
        let bytes = Bytes(bundles: dependencies.bundles, submission: submission, media: bundle.media, logger: logger)
        do throws(QueueError) {
            try await bytes.put()
        } catch {
            if error.hasFailedForSure { await bytes.remove() }
            throw .unavailable(error)
        }
        dependencies.faults.reach(.afterBytesStored)
        guard let intake else { return try await enqueue(submission, bytes, recording: nil) }
        let recording = try await intake.record(submission, bytes)
        dependencies.faults.reach(.afterIntake)
        guard case .earlier(let first, let isOpen) = recording.outcome else {
            return try await enqueue(submission, bytes, recording: recording)
        }
        if isOpen, let entry = try await intake.entry(of: first) { try await enqueueAgain(entry, bundle.media, logger) }
        await bytes.remove()
        return Receipt(id: first, state: try await state(of: first), isDuplicate: true)
    }

    private func enqueue(
        _ submission: CaptureSubmission, _ bytes: Bytes, recording: IntakeDoor.Recording?
    ) async throws(APIError) -> Receipt {
        let outcome: EnqueueOutcome
        do throws(QueueError) {
            outcome = try await handOff.enqueue(submission, bytes)
        } catch {
            // With an unknown outcome the capture may have been accepted, and the bytes be all there is of it. Bytes
            // that belong to no capture are removed by their store after a while. While the queue is being restored
            // the capture may be put back from its row at any moment: row and bytes stay.
            if error.hasFailedForSure { await takeBack(bytes, recording) }
            throw .unavailable(error)
        }
        dependencies.faults.reach(.afterEnqueue)
        switch outcome {
        case .accepted: return Receipt(id: submission.id, state: .queued, isDuplicate: false)
        // The queue's client had asked twice.
        case .duplicate(of: submission.id): return Receipt(id: submission.id, state: .queued, isDuplicate: false)
        case .duplicate(of: let first):
            await takeBack(bytes, recording)
            return Receipt(id: first, state: try await state(of: first), isDuplicate: true)
        case .full:
            await takeBack(bytes, recording)
            throw .queueFull
        }
    }

    /// Row first: as long as it stands, the capture may be put back from it, and needs its bytes.
    private func takeBack(_ bytes: Bytes, _ recording: IntakeDoor.Recording?) async {
        if let recording, let intake {
            guard await intake.withdraw(recording, bytes.logger) else { return }
        }
        await bytes.remove()
    }

    /// Makes sure that a capture which was recorded earlier is in the queue, with its bytes: the first attempt may have
    /// ended between the two, and the queue may have lost it since.
    private func enqueueAgain(
        _ entry: IntakeEntry, _ media: CaptureBundle, _ logger: Logger
    ) async throws(APIError) {
        let submission = entry.submission
        let bytes = Bytes(bundles: dependencies.bundles, submission: submission, media: media, logger: logger)
        let outcome: EnqueueOutcome
        do throws(QueueError) {
            try await bytes.put()
            outcome = try await handOff.enqueue(submission, bytes)
        } catch {
            throw .unavailable(error)
        }
        if outcome == .full { throw .queueFull }
    }

    private func state(of capture: CaptureID) async throws(APIError) -> CaptureState {
        do throws(QueueError) {
            if let status = try await dependencies.queue.status(of: [capture])[0] { return status.state }
        } catch {
            throw .unavailable(error)
        }
        do throws(StoreError) {
            let result = try await dependencies.store.results(of: [capture])[capture]
            return result.map { CaptureState($0.verdict) } ?? .queued
        } catch {
            throw .unavailable(error)
        }
    }

    private func submission(
        id: CaptureID, _ bundle: UploadedBundle, device: DeviceID, receivedAt: Timestamp, traceParent: String?
    ) -> CaptureSubmission {
        CaptureSubmission(
            id: id, device: device, bundleDigest: bundle.digest(device: device), binding: bundle.binding,
            assertion: bundle.assertion, metadata: bundle.metadata, photoDigest: bundle.photoDigest,
            depthDigest: bundle.depthDigest, photoBytes: bundle.media.photo.readableBytes,
            depthBytes: bundle.media.depth.readableBytes, receivedAt: receivedAt, traceParent: traceParent,
            bundleStore: dependencies.bundles.name
        )
    }
}

extension QueueError {
    /// Whether nothing was done, and nothing will be.
    fileprivate var hasFailedForSure: Bool { code == .unavailable || code == .refused }
}

extension CaptureState {
    /// The terminal state of a verdict.
    init(_ verdict: Verdict) {
        switch verdict {
        case .verified: self = .verified
        case .rejected: self = .rejected
        }
    }
}
