import CaptureInspection
import CaptureModel
import CaptureQueue
import Crypto
import NIOCore

/// A whole upload, read and taken apart; nothing in it is verified.
struct UploadedBundle: Sendable {
    /// Photo and depth map.
    let media: CaptureMedia
    /// The assertion as CBOR, decoded where it came as base64.
    let assertion: [UInt8]
    /// The metadata as they came.
    let metadata: [UInt8]
    /// What the metadata say.
    let declared: CaptureMetadata
    /// How the signature binds the bytes.
    let binding: Binding
    /// SHA-256 of the photo.
    let photoDigest: CaptureModel.SHA256Digest
    /// SHA-256 of the depth map.
    let depthDigest: CaptureModel.SHA256Digest
    /// SHA-256 of the metadata.
    let metadataDigest: CaptureModel.SHA256Digest
    /// The hasher after the photo and then the depth map, if the parts came in that order.
    let pairHasher: SHA256?

    /// What the device must have signed.
    ///
    /// Reads the media once more when the depth map came first.
    func clientDataHash() async -> CaptureModel.SHA256Digest {
        switch binding {
        case .framedV2:
            return Binding.framedV2Hash(photo: photoDigest, depth: depthDigest, metadata: metadataDigest)
        case .concatV1:
            if let pairHasher { return Binding.concatV1Hash(pairHasher) }
            // All the bytes at once take long, and an event loop would serve nobody meanwhile.
            return await withTaskExecutorPreference(globalConcurrentExecutor) {
                var hasher = SHA256()
                media.photo.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
                media.depth.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
                return Binding.concatV1Hash(hasher)
            }
        }
    }

    /// What tells this bundle from every other.
    func digest(device: DeviceID) -> CaptureModel.SHA256Digest {
        BundleDigest.compute(
            device: device, assertion: .hash(assertion), photo: photoDigest, depth: depthDigest,
            metadata: metadataDigest
        )
    }

    /// The capture that becomes of it, whose bytes are in a store.
    func submission(
        as id: CaptureID, of device: DeviceID, receivedAt: Timestamp?, traceParent: String? = nil,
        in store: BundleStoreName
    ) -> CaptureSubmission {
        CaptureSubmission(
            id: id, device: device, bundleDigest: digest(device: device), binding: binding, assertion: assertion,
            metadata: metadata, photoDigest: photoDigest, depthDigest: depthDigest,
            photoBytes: media.photo.readableBytes, depthBytes: media.depth.readableBytes, receivedAt: receivedAt,
            traceParent: traceParent, bundleStore: store)
    }
}
