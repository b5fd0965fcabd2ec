import CaptureModel
import CaptureQueue
import CaptureStore
import FaultPoints
import IntakeJournal
import Logging
import NIOCore

/// Hands a bundle over to the queue: bytes first, then the ledger's row where there is a ledger, then the capture, in
/// that order.
struct Acceptance: Sendable {
    private let dependencies: GatewayDependencies
    private let restoring: RestoringEnqueue
    private let intake: UploadLedger?
    private let earlier: EarlierUpload
    /// The longest that a row may take to come.
    private let rowWait: Duration

    /// How often the queue may name a capture that does not exist, or is of other bytes, before the upload is refused.
    private static let misledMax = 3

    /// What became of a bundle.
    struct Accepted: Sendable, Equatable {
        /// The capture's id; the same for the same bundle.
        let id: CaptureID
        /// Where it stands.
        let state: CaptureState
        /// Whether the same bundle was accepted before.
        let isDuplicate: Bool
    }

    init(limits: GatewayConfiguration.Intake, dependencies: GatewayDependencies, journal: IntakeJournal?) {
        self.dependencies = dependencies
        restoring = RestoringEnqueue(
            queue: dependencies.queue, restoreWait: limits.restoreWait, onRestoring: dependencies.onRestoring)
        intake = dependencies.intake.flatMap { ledger in journal.map { UploadLedger(ledger: ledger, journal: $0) } }
        rowWait = limits.wait
        earlier = EarlierUpload(
            queue: dependencies.queue, store: dependencies.store, bundles: dependencies.bundles, restoring: restoring,
            faults: dependencies.faults)
    }

    /// Accepts a bundle for good, or throws.
    ///
    /// When it throws, nothing is kept, unless the outcome is unknown: then row and bytes stay for the reconciler or a
    /// retry.
    func accept(
        _ bundle: UploadedBundle, of device: DeviceID, traceParent: String?, logger: Logger
    ) async throws(APIError) -> Accepted {
        // In milliseconds, as the queue and the result have it: if the clocks agree, a settled capture keeps its place
        // in lists.
        let received = Timestamp(millisecondsSince1970: dependencies.now().millisecondsSince1970)
        var generator = dependencies.generator
        let id = CaptureID.make(at: received, using: &generator)
        let submission = submission(
            id: id, bundle, device: device, receivedAt: received, traceParent: traceParent
        )
        let bytes = UploadedBytes(
            bundles: dependencies.bundles, submission: submission, media: bundle.media, logger: logger)
        do throws(QueueError) {
            try await bytes.put()
        } catch {
            if error.hasFailedForSure { await bytes.remove() }
            throw .unavailable(error)
        }
        let stored = ContinuousClock.now
        dependencies.faults.reach(.afterBytesStored)
        guard let intake else { return try await enqueue(bytes) }
        let outcome = try await intake.record(submission, bytes)
        dependencies.faults.reach(.afterIntake)
        guard case .earlier(let first, let standing) = outcome else {
            // If the process stood still meanwhile, the bytes may have been swept, or have expired, as those of no
            // capture.
            if ContinuousClock.now - stored > rowWait { try await putAgain(bytes) }
            return try await enqueue(bytes)
        }
        await bytes.remove()
        let state = try await earlier.resume(first, standing, of: submission, bundle.media, intake, logger)
        return Accepted(id: first, state: state, isDuplicate: true)
    }

    private func enqueue(_ stored: UploadedBytes) async throws(APIError) -> Accepted {
        var bytes = stored
        for _ in 0...Self.misledMax {
            let first: CaptureID
            switch try await outcome(of: bytes) {
            // A duplicate of itself if the queue's client sent the call twice.
            case .accepted, .duplicate(of: bytes.submission.id):
                return Accepted(id: bytes.submission.id, state: .queued, isDuplicate: false)
            case .duplicate(of: let named):
                first = named
            case .full:
                await takeBack(bytes)
                throw .queueFull
            }
            switch try await named(first, for: bytes) {
            case .same(let answer): return answer
            case .nowhere: try await forget(first, for: bytes)
            case .another: bytes = bytes.beside(first)
            }
            try await putAgain(bytes)
        }
        await takeBack(bytes)
        throw .unavailable(because: .busy("the bundle is known as captures that are nowhere, or not its own"))
    }

    private func outcome(of bytes: UploadedBytes) async throws(APIError) -> EnqueueOutcome {
        let outcome: EnqueueOutcome
        do throws(QueueError) {
            outcome = try await restoring.enqueue(bytes.submission, bytes)
        } catch {
            // If the outcome is unknown, the capture may have been accepted, and needs its bytes. Bytes that belong to
            // no capture are removed by their store after a while. While the queue is being restored, the capture may
            // be put back from its row at any moment: row and bytes stay, too.
            if error.hasFailedForSure { await takeBack(bytes) }
            throw .unavailable(error)
        }
        dependencies.faults.reach(.afterEnqueue)
        return outcome
    }

    private func forget(_ lost: CaptureID, for bytes: UploadedBytes) async throws(APIError) {
        do throws(QueueError) {
            try await earlier.forget(lost, for: bytes)
        } catch {
            await takeBack(bytes)
            throw .unavailable(error)
        }
    }

    /// Stores the bytes again where they may be gone.
    ///
    /// Without a ledger, the answer that names another capture has removed them from Redis.
    private func putAgain(_ bytes: UploadedBytes) async throws(APIError) {
        do throws(QueueError) {
            try await bytes.put()
        } catch {
            if error.hasFailedForSure { await takeBack(bytes) }
            throw .unavailable(error)
        }
    }

    /// How the capture that the queue named relates to this bundle.
    private enum Named {
        /// It is the bundle's own.
        case same(Accepted)
        /// It is of other bytes: whoever handed it off gave this bundle's digest for them.
        case another
        /// Neither queue nor record knows it.
        case nowhere
    }

    /// Looks at the capture that the queue names for a bundle.
    ///
    /// The row is taken back before the result is confirmed: if the gateway were killed between the two in the other
    /// order, the reconciler would make a second capture of the row.
    private func named(_ first: CaptureID, for bytes: UploadedBytes) async throws(APIError) -> Named {
        let queued: JobStatus?
        var state: CaptureState?
        do throws(APIError) {
            queued = try await earlier.queuedStatus(of: first)
            state = queued?.state
            if queued == nil { state = try await earlier.recordedState(of: first) }
            if state != nil, try await earlier.isAnother(first, than: bytes) { return .another }
            if queued?.state == .failed {
                let revived = try await earlier.revive(first, of: bytes.submission.device, bytes.media, bytes.logger)
                state = revived?.1 ?? state
            }
        } catch {
            await takeBack(bytes)
            throw error
        }
        guard let state else { return .nowhere }
        if let queued, !queued.state.isFinal, try await passOn(bytes, to: queued) {
            return .same(Accepted(id: first, state: state, isDuplicate: true))
        }
        await takeBack(bytes)
        let confirmed = queued == nil ? state : try await earlier.confirmed(state, of: first)
        return .same(Accepted(id: first, state: confirmed, isDuplicate: true))
    }

    /// Hands the upload's ledger row, and a copy of its bytes, over to the capture that is queued.
    ///
    /// So everything that was answered with 202 is in the ledger.
    ///
    /// - Returns: `false` if that capture has a row of its own.
    private func passOn(_ bytes: UploadedBytes, to first: JobStatus) async throws(APIError) -> Bool {
        guard let intake else { return false }
        let copy = bytes.of(first.id)
        do throws(APIError) {
            try await askingQueue { () async throws(QueueError) in try await copy.put() }
            guard try await intake.handRow(of: bytes.submission.id, to: first) else { return false }
        } catch {
            await takeBack(bytes)
            throw error
        }
        await bytes.remove()
        return true
    }

    /// Takes the row back first: as long as it stands, the capture may be put back from it and needs its bytes.
    ///
    /// If the row stays, the bytes are stored again: an older library's answer has removed them from Redis, or they may
    /// have expired.
    private func takeBack(_ bytes: UploadedBytes) async {
        if let intake, await !intake.withdraw(bytes.submission.id, bytes.logger) {
            await bytes.restoreBytes()
            return
        }
        dependencies.faults.reach(.afterWithdraw)
        await bytes.remove()
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
