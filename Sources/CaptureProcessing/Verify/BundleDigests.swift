import CaptureModel
import CaptureQueue
import MultiBufferSHA256

/// The digests of a bundle's bytes, each byte of the photo read once.
struct BundleDigests: Sendable, Equatable {
    let photo: SHA256Digest
    let depth: SHA256Digest
    let clientDataHash: SHA256Digest

    /// The messages to hash for a bundle: the photo, followed by the depth map if the binding asks for it, and the
    /// depth map.
    static func messages(of media: CaptureMedia, binding: Binding) -> (photo: HashedMessage, depth: HashedMessage) {
        switch binding {
        case .concatV1: (HashedMessage(media.photo, then: media.depth), HashedMessage(media.depth))
        case .framedV2: (HashedMessage(media.photo), HashedMessage(media.depth))
        }
    }

    /// Makes the digests of a bundle from those of its messages.
    init(photo: MessageDigests, depth: MessageDigests, metadata: [UInt8], binding: Binding) {
        self.photo = photo.head
        self.depth = depth.whole
        clientDataHash =
            switch binding {
            case .concatV1: photo.whole
            case .framedV2: Binding.framedV2Hash(photo: photo.head, depth: depth.whole, metadata: .hash(metadata))
            }
    }

    /// Whether photo and depth map are those that were accepted.
    func areAccepted(of submission: CaptureSubmission) -> Bool {
        photo == submission.photoDigest && depth == submission.depthDigest
    }
}
