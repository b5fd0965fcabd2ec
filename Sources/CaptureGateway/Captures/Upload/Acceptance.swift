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
        handOff = HandOff(
            queue: dependencies.queue, restoreWait: configuration.restoreWait, onRestoring: dependencies.onRestoring)
        intake = dependencies.intake.flatMap { ledger in journal.map { IntakeDoor(ledger: ledger, journal: $0) } }
    }

    /// Accepts a bundle for good, or throws.
    ///
    /// What throws has kept nothing, unless it cannot be told what was kept: then it stays, for the reconciler or for
    /// the same bundle sent again.
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
            throw bytes.unavailable(error)
        }
        dependencies.faults.reach(.afterBytesStored)
        guard let intake else { return try await enqueue(submission, bytes) }
        let outcome = try await intake.record(submission, bytes)
        dependencies.faults.reach(.afterIntake)
        guard case .earlier(let first, let standing) = outcome else { return try await enqueue(submission, bytes) }
        await bytes.remove()
        let state = try await resume(first, standing, bundle.media, intake, logger)
        return Receipt(id: first, state: state, isDuplicate: true)
    }

    /// - Parameter isAnew: Whether the bundle was known as a capture that is nowhere, and has been forgotten.
    private func enqueue(
        _ submission: CaptureSubmission, _ bytes: Bytes, isAnew: Bool = false
    ) async throws(APIError) -> Receipt {
        let outcome: EnqueueOutcome
        do throws(QueueError) {
            outcome = try await handOff.enqueue(submission, bytes)
        } catch {
            // With an unknown outcome the capture may have been accepted, and the bytes be all there is of it. Bytes
            // that belong to no capture are removed by their store after a while. While the queue is being restored
            // the capture may be put back from its row at any moment: row and bytes stay.
            if error.hasFailedForSure { await takeBack(bytes) }
            throw .unavailable(error)
        }
        dependencies.faults.reach(.afterEnqueue)
        switch outcome {
        case .accepted: return Receipt(id: submission.id, state: .queued, isDuplicate: false)
        // The queue's client had asked twice.
        case .duplicate(of: submission.id): return Receipt(id: submission.id, state: .queued, isDuplicate: false)
        case .duplicate(of: let first):
            if let state = try await stateOfFirst(first, bytes) {
                await takeBack(bytes)
                return Receipt(id: first, state: state, isDuplicate: true)
            }
            guard !isAnew else {
                await takeBack(bytes)
                throw .unavailable(QueueError(.busy, "the bundle is known as captures that are nowhere"))
            }
            do throws(QueueError) {
                try await forget(first, bytes)
            } catch {
                await takeBack(bytes)
                throw .unavailable(error)
            }
            do throws(QueueError) {
                try await bytes.put()
            } catch {
                if error.hasFailedForSure { await takeBack(bytes) }
                throw bytes.unavailable(error)
            }
            return try await enqueue(submission, bytes, isAnew: true)
        case .full:
            await takeBack(bytes)
            throw .queueFull
        }
    }

    /// Where the capture stands that the queue names for a bundle; `nil` when nobody knows anything of it.
    private func stateOfFirst(_ first: CaptureID, _ bytes: Bytes) async throws(APIError) -> CaptureState? {
        do throws(APIError) {
            return try await knownState(of: first)
        } catch {
            await takeBack(bytes)
            throw error
        }
    }

    /// Has the queue forget that a bundle was accepted as a capture that is nowhere: it was settled, and the record was
    /// restored from a backup of before.
    ///
    /// A 202 for it would be one for nothing. The bytes have to be stored again: the answer that named the other capture
    /// has removed them where they are in Redis.
    private func forget(_ lost: CaptureID, _ bytes: Bytes) async throws(QueueError) {
        let submission = bytes.submission
        _ = try await dependencies.queue.forget(submission.bundleDigest, of: submission.device, acceptedAs: lost)
        bytes.logger.warning(
            "a bundle is taken anew: neither queue nor record knows the capture that it was accepted as",
            metadata: ["capture_id": "\(submission.id)"])
    }

    /// Row first: as long as it stands, the capture may be put back from it, and needs its bytes.
    private func takeBack(_ bytes: Bytes) async {
        if let intake, await !intake.withdraw(bytes.submission.id, bytes.logger) { return }
        await bytes.remove()
    }

    /// Where a capture stands that was recorded earlier, once it is certain that it is not lost.
    ///
    /// The first attempt may have ended between row and queue, or have taken the row back since; and the queue may have
    /// lost the capture.
    private func resume(
        _ first: CaptureID, _ standing: IntakeStanding, _ media: CaptureBundle, _ intake: IntakeDoor, _ logger: Logger
    ) async throws(APIError) -> CaptureState {
        // Its row was left alone: what the queue knows was put there with its bytes.
        if standing != .claimed, let state = try await knownState(of: first) { return state }
        if let entry = try await intake.claim(first) {
            try await enqueueAgain(entry, media, logger)
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
        _ entry: IntakeEntry, _ media: CaptureBundle, _ logger: Logger, isAnew: Bool = false
    ) async throws(APIError) {
        let submission = entry.submission
        let bytes = Bytes(bundles: dependencies.bundles, submission: submission, media: media, logger: logger)
        do throws(QueueError) { try await bytes.put() } catch { throw bytes.unavailable(error) }
        let outcome: EnqueueOutcome
        do throws(QueueError) { outcome = try await handOff.enqueue(submission, bytes) } catch {
            throw .unavailable(error)
        }
        switch outcome {
        // The reconciler may have put it back first.
        case .accepted, .duplicate(of: submission.id): await handOff.removeIfSettled(bytes)
        case .duplicate(of: let other):
            // Its row stands, and whoever sends the bundle again finds it.
            guard !isAnew, try await knownState(of: other) == nil else {
                throw .unavailable(StoreError(.conflict, "the queue has the bundle as another capture"))
            }
            do throws(QueueError) { try await forget(other, bytes) } catch { throw .unavailable(error) }
            try await enqueueAgain(entry, media, logger, isAnew: true)
        case .full: throw .queueFull
        }
    }

    /// Where a capture stands; `nil` when neither the queue nor the record knows it.
    private func knownState(of capture: CaptureID) async throws(APIError) -> CaptureState? {
        do throws(QueueError) {
            if let status = try await dependencies.queue.status(of: [capture])[0] { return status.state }
        } catch {
            throw .unavailable(error)
        }
        do throws(StoreError) {
            return try await dependencies.store.results(of: [capture])[capture].map { CaptureState($0.verdict) }
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
    fileprivate var hasFailedForSure: Bool { [.unavailable, .busy, .refused].contains(code) }
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
