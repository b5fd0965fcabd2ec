import CaptureModel
import CaptureQueue
import struct Crypto.SHA256
import NIOCore

/// The digests of a bundle's bytes, each byte of the photo read once.
struct BundleDigests: Sendable {
    let photo: SHA256Digest
    let depth: SHA256Digest
    let clientDataHash: SHA256Digest

    init(of bundle: CaptureBundle, metadata: [UInt8], binding: Binding) {
        var hasher = SHA256()
        bundle.photo.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
        // The hash of photo ‖ depth goes on from the state that gives the photo's own hash.
        photo = SHA256Digest(hasher.finalize())
        depth = bundle.depth.withUnsafeReadableBytes { bytes in
            SHA256Digest(SHA256.hash(data: bytes))
        }
        switch binding {
        case .concatV1:
            bundle.depth.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
            clientDataHash = Binding.concatV1Hash(hasher)
        case .framedV2:
            clientDataHash = Binding.framedV2Hash(photo: photo, depth: depth, metadata: .hash(metadata))
        }
    }
}
