/// What a gateway hands to the queue for one capture, apart from the media themselves.
package struct CaptureSubmission: Sendable, Equatable {
    /// The id that the capture gets, unless the same bundle was accepted before.
    package private(set) var id: CaptureID
    /// The device that claims to have signed.
    package let device: DeviceID
    /// What tells this bundle from every other; see ``BundleDigest``.
    package private(set) var bundleDigest: SHA256Digest
    /// How the signature binds the bytes.
    package let binding: Binding
    /// The assertion as CBOR, not yet verified.
    package let assertion: [UInt8]
    /// The metadata as they were uploaded.
    package let metadata: [UInt8]
    /// SHA-256 of the photo's bytes as uploaded.
    package let photoDigest: SHA256Digest
    /// SHA-256 of the depth map's bytes as uploaded.
    package let depthDigest: SHA256Digest
    /// Size of the photo in bytes.
    package let photoBytes: Int
    /// Size of the depth map as uploaded, in bytes.
    package let depthBytes: Int
    /// When the gateway had the whole bundle; everything is verified at this time.
    ///
    /// `nil`: the queue's clock.
    package let receivedAt: Timestamp?
    /// W3C trace context (`traceparent`) of the upload, at most 55 characters.
    package let traceParent: String?
    /// Which store holds the bytes.
    package let bundleStore: BundleStoreName

    /// Memberwise.
    package init(
        id: CaptureID, device: DeviceID, bundleDigest: SHA256Digest, binding: Binding, assertion: [UInt8],
        metadata: [UInt8], photoDigest: SHA256Digest, depthDigest: SHA256Digest, photoBytes: Int, depthBytes: Int,
        receivedAt: Timestamp?, traceParent: String?, bundleStore: BundleStoreName = .redis
    ) {
        self.id = id
        self.device = device
        self.bundleDigest = bundleDigest
        self.binding = binding
        self.assertion = assertion
        self.metadata = metadata
        self.photoDigest = photoDigest
        self.depthDigest = depthDigest
        self.photoBytes = photoBytes
        self.depthBytes = depthBytes
        self.receivedAt = receivedAt
        self.traceParent = traceParent
        self.bundleStore = bundleStore
    }

    /// Whether the other submission has the same device and the same bytes.
    ///
    /// The declared bundle digests are not compared.
    package func hasSameBytes(as other: CaptureSubmission) -> Bool {
        device == other.device && binding == other.binding && assertion == other.assertion
            && metadata == other.metadata && photoBytes == other.photoBytes && depthBytes == other.depthBytes
            && photoDigest == other.photoDigest && depthDigest == other.depthDigest
    }

    /// A copy with another capture id.
    package func with(id: CaptureID) -> CaptureSubmission {
        var copy = self
        copy.id = id
        return copy
    }

    /// A copy with another bundle digest.
    package func with(bundleDigest: SHA256Digest) -> CaptureSubmission {
        var copy = self
        copy.bundleDigest = bundleDigest
        return copy
    }
}
