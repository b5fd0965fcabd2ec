import CaptureModel
import CaptureQueue
import CaptureStore
import Logging
import NIOCore

/// Hands a bundle over to the queue: bytes first, then the capture, in that order ([R-CP-2]).
struct Acceptance: Sendable {
    private let dependencies: GatewayDependencies

    /// What became of a bundle.
    struct Receipt: Sendable, Equatable {
        /// The capture's id; the same for the same bundle.
        let id: CaptureID
        /// Where it stands.
        let state: CaptureState
        /// Whether the same bundle was accepted before.
        let isDuplicate: Bool
    }

    init(dependencies: GatewayDependencies) {
        self.dependencies = dependencies
    }

    /// Accepts a bundle for good, or throws and keeps nothing.
    func accept(
        _ bundle: UploadedBundle, of device: DeviceID, traceParent: String?, logger: Logger
    ) async throws(APIError) -> Receipt {
        let received = dependencies.now()
        var generator = dependencies.generator
        let id = CaptureID.make(at: received, using: &generator)
        let submission = submission(
            id: id, bundle, device: device, receivedAt: received, traceParent: traceParent
        )
        switch try await store(submission, bundle.media, logger) {
        case .accepted: return Receipt(id: id, state: .queued, isDuplicate: false)
        // The queue's client had asked twice.
        case .duplicate(of: id): return Receipt(id: id, state: .queued, isDuplicate: false)
        case .duplicate(of: let first):
            await remove(submission, logger)
            return Receipt(id: first, state: try await state(of: first), isDuplicate: true)
        case .full:
            await remove(submission, logger)
            throw .queueFull
        }
    }

    private func store(
        _ submission: CaptureSubmission, _ media: CaptureBundle, _ logger: Logger
    ) async throws(APIError) -> EnqueueOutcome {
        do throws(QueueError) {
            try await dependencies.bundles.put(media, of: submission)
            return try await dependencies.queue.enqueue(submission)
        } catch {
            // With an unknown outcome the capture may have been accepted, and the bytes be all there is of it. Bytes
            // that belong to no capture are removed by their store after a while.
            if error.code == .unavailable || error.code == .refused { await remove(submission, logger) }
            throw .unavailable(error)
        }
    }

    /// Removes the bytes of what was not enqueued.
    ///
    /// A failure costs room for a while, nothing else.
    private func remove(_ submission: CaptureSubmission, _ logger: Logger) async {
        do throws(QueueError) {
            try await dependencies.bundles.remove(submission)
        } catch {
            logger.info(
                "bytes of a capture that was not enqueued are left to expire",
                metadata: ["capture_id": "\(submission.id)", "error": "\(error)"]
            )
        }
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

extension CaptureState {
    /// The terminal state of a verdict.
    init(_ verdict: Verdict) {
        switch verdict {
        case .verified: self = .verified
        case .rejected: self = .rejected
        }
    }
}
