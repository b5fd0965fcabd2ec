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
    static let otherCapturesMax = 3

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
            queue: dependencies.queue, store: dependencies.store, restoreWait: limits.restoreWait,
            onRestoring: dependencies.onRestoring, chance: { dependencies.chance() })
        intake = dependencies.intake.flatMap { ledger in journal.map { UploadLedger(ledger: ledger, journal: $0) } }
        rowWait = limits.wait
        earlier = EarlierUpload(
            queue: dependencies.queue, store: dependencies.store, bundles: dependencies.bundles, restoring: restoring,
            faults: dependencies.faults)
    }

    /// Accepts a bundle for good, or throws.
    ///
    /// When it throws, nothing is kept, unless the outcome is unknown or somebody has claimed the row: then row and
    /// bytes stay for the reconciler or a retry.
    /// - Parameter isSigned: Whether the bundle's signature is good; asked where the ledger goes by what is signed.
    func accept(
        _ bundle: UploadedBundle, of device: DeviceID, traceParent: String?, logger: Logger,
        isSigned: @Sendable () async -> Bool
    ) async throws(APIError) -> Accepted {
        // In milliseconds, as the queue and the result have it: if the clocks agree, a settled capture keeps its place
        // in lists.
        let received = Timestamp(millisecondsSince1970: dependencies.now().millisecondsSince1970)
        var generator = dependencies.generator
        let id = CaptureID.make(at: received, using: &generator)
        let submission = bundle.submission(
            as: id, of: device, receivedAt: received, traceParent: traceParent, in: dependencies.bundles.name)
        let bytes = UploadedBytes(
            bundles: dependencies.bundles, submission: submission, media: bundle.media, logger: logger)
        var upload = UploadProgress(of: bytes, faults: dependencies.faults)
        do throws(NotAccepted) {
            return try await advance(&upload, isSigned)
        } catch {
            // In doubt the capture may have been accepted, and needs its bytes. Bytes that belong to no capture are
            // removed by their store after a while.
            if error.isInDoubt { throw error.answer }
            // A row that stays may have been claimed by another upload of the bundle, or by the reconciler, and its
            // capture may be in the queue by now.
            guard await !upload.takeBack(), let state = try await earlier.knownState(of: id, from: device) else {
                throw error.answer
            }
            return Accepted(id: id, state: state, isDuplicate: false)
        }
    }

    /// Takes the upload through its steps; where it throws, what the upload has left is still there.
    private func advance(
        _ upload: inout UploadProgress, _ isSigned: @Sendable () async -> Bool
    ) async throws(NotAccepted) -> Accepted {
        try await upload.store()
        let stored = ContinuousClock.now
        dependencies.faults.reach(.afterBytesStored)
        guard var intake else { return try await enqueue(&upload) }
        let outcome = try await record(&upload, in: &intake, isSigned)
        dependencies.faults.reach(.afterIntake)
        guard case .earlier(let first, let standing) = outcome else {
            // If the process stood still meanwhile, the bytes may have been swept, or have expired, as those of no
            // capture.
            if ContinuousClock.now - stored > rowWait { try await upload.store() }
            return try await enqueue(&upload)
        }
        await upload.takeBack()
        do throws(APIError) {
            let (capture, state) = try await earlier.resume(first, standing, of: upload.bytes, intake)
            return Accepted(id: capture, state: state, isDuplicate: true)
        } catch {
            throw NotAccepted(answer: error)
        }
    }

    /// Commits the upload's row, or finds the earlier one of the same bundle.
    ///
    /// The ledger knows a verified capture by what its assertion signs, whatever bytes that comes in. An upload with
    /// other bytes and without a good signature does not repeat that capture: it becomes a capture of its own, which a
    /// worker rejects. From then on the ledger goes by its digest alone.
    private func record(
        _ upload: inout UploadProgress, in intake: inout UploadLedger, _ isSigned: @Sendable () async -> Bool
    ) async throws(NotAccepted) -> IntakeOutcome {
        let outcome = try await upload.record(in: intake)
        guard case .earlier(let first, .closed) = outcome, await !isSigned() else { return outcome }
        let isOther: Bool
        do throws(APIError) {
            isOther = try await earlier.hasOtherAssertion(first, than: upload.bytes)
        } catch {
            throw NotAccepted(answer: error)
        }
        guard isOther else { return outcome }
        intake = intake.byDigestAlone
        return try await upload.record(in: intake)
    }

    private func enqueue(_ upload: inout UploadProgress) async throws(NotAccepted) -> Accepted {
        for _ in 0...Self.otherCapturesMax {
            let bytes = upload.bytes
            let first: CaptureID
            switch try await outcome(of: bytes) {
            // A duplicate of itself if the queue's client sent the call twice.
            case .accepted, .duplicate(of: bytes.submission.id):
                return Accepted(id: bytes.submission.id, state: .queued, isDuplicate: false)
            case .duplicate(of: let named): first = named
            case .full: throw NotAccepted(answer: .queueFull)
            // Another gateway was started later, with a lower limit than this one's.
            case .tooLarge(let part, let bytesMax):
                throw NotAccepted(answer: .tooLarge(BundlePart(part).rawValue, bytesMax))
            }
            do throws(APIError) {
                switch try await earlier.named(first, for: bytes) {
                case .same(let queued, let state): return try await giveWay(&upload, to: first, queued, state)
                case .nowhere:
                    try await askingQueue { () async throws(QueueError) in try await earlier.forget(first, for: bytes) }
                case .another: upload.stepBeside(first)
                }
            } catch {
                // Whatever fails about another capture, this one is not in the queue.
                throw NotAccepted(answer: error)
            }
            // Without a ledger, the answer that names another capture has removed the bytes from Redis.
            try await upload.store()
        }
        throw NotAccepted(
            answer: .unavailable(because: .busy("the bundle is known as captures that are nowhere, or not its own")))
    }

    private func outcome(of bytes: UploadedBytes) async throws(NotAccepted) -> EnqueueOutcome {
        let outcome: EnqueueOutcome
        do throws(QueueError) {
            outcome = try await restoring.enqueue(bytes.submission, bytes)
        } catch {
            throw NotAccepted(error)
        }
        dependencies.faults.reach(.afterEnqueue)
        return outcome
    }

    /// Answers with the capture that there is of the bundle, in this one's place.
    ///
    /// The row is taken back before the result is confirmed: if the gateway were killed between the two in the other
    /// order, the reconciler would make a second capture of the row.
    private func giveWay(
        _ upload: inout UploadProgress, to first: CaptureID, _ queued: JobStatus?, _ state: CaptureState
    ) async throws(APIError) -> Accepted {
        try await upload.giveWay(to: queued)
        await upload.takeBack()
        let device = upload.bytes.submission.device
        let confirmed = try await earlier.stateInPlace(of: first, from: device, queued, state)
        return Accepted(id: first, state: confirmed, isDuplicate: true)
    }
}
