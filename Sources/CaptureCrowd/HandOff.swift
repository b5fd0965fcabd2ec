package import CaptureModel
package import CaptureQueue
package import CaptureStore
package import DeviceSimulator
import NIOCore

/// The picture that many captures share, with the digests that each of them needs.
package struct SharedPicture: Sendable {
    let capture: SyntheticCapture
    let media: CaptureMedia
    let photoDigest: SHA256Digest
    let depthDigest: SHA256Digest
    let metadataDigest: SHA256Digest
    /// The clientDataHash of an assertion over it, with `concat-v1`.
    let clientDataHash: SHA256Digest

    /// Computes the digests of a capture's picture.
    package init(_ capture: SyntheticCapture) {
        self.capture = capture
        media = CaptureMedia(photo: ByteBuffer(bytes: capture.photo), depth: ByteBuffer(bytes: capture.depthMap))
        photoDigest = .hash(capture.photo)
        depthDigest = .hash(capture.depthMap)
        metadataDigest = .hash(capture.metadata)
        clientDataHash = CaptureSigner.clientDataHash(of: capture, binding: .concatV1)
    }
}

/// Queues captures the way a gateway does after its checks: bytes, ledger row where there is a ledger, queue.
package struct HandOff<Queue: UploadQueue, Bundles: BundleStore>: Sendable {
    /// The queue did not take a capture.
    package struct NotAccepted: Error, CustomStringConvertible {
        /// The queue's answer in place of acceptance.
        package let description: String
    }

    private let queue: Queue
    private let bundles: Bundles
    private let record: (@Sendable (CaptureSubmission) async throws -> IntakeOutcome)?
    private let now: TimeSource
    private let newID: @Sendable (Timestamp) -> CaptureID

    /// Names the two or three places where a capture is put.
    /// - Parameters:
    ///   - record: Accepts the capture in the ledger first, when the queue's durability needs one.
    ///   - now: The time of acceptance.
    ///   - newID: Makes the id of a capture received at a time.
    package init(
        queue: Queue, bundles: Bundles,
        record: (@Sendable (CaptureSubmission) async throws -> IntakeOutcome)? = nil, now: @escaping TimeSource,
        newID: @escaping @Sendable (Timestamp) -> CaptureID
    ) {
        self.queue = queue
        self.bundles = bundles
        self.record = record
        self.now = now
        self.newID = newID
    }

    /// Signs a shared picture with a device's next counter and queues it as a capture.
    /// - Throws: ``NotAccepted`` for another answer than acceptance; else the fault of the device, store, ledger or queue.
    package func send(_ picture: SharedPicture, from member: Crowd.Member) async throws -> CaptureID {
        let assertion = try member.device.assertion(clientDataHash: picture.clientDataHash.bytes)
        let receivedAt = now()
        let submission = CaptureSubmission(
            id: newID(receivedAt), device: member.id,
            bundleDigest: BundleDigest.compute(
                device: member.id, assertion: .hash(assertion), photo: picture.photoDigest, depth: picture.depthDigest,
                metadata: picture.metadataDigest
            ),
            binding: .concatV1, assertion: assertion, metadata: picture.capture.metadata,
            photoDigest: picture.photoDigest, depthDigest: picture.depthDigest,
            photoBytes: picture.capture.photo.count, depthBytes: picture.capture.depthMap.count,
            receivedAt: receivedAt, traceParent: nil
        )
        try await bundles.put(picture.media, of: submission)
        if let record {
            let outcome = try await record(submission)
            guard outcome == .recorded else { throw NotAccepted(description: "ledger: \(outcome)") }
        }
        let outcome = try await queue.enqueue(submission)
        guard outcome == .accepted else { throw NotAccepted(description: "queue: \(outcome)") }
        return submission.id
    }
}
