import CaptureModel
import CaptureQueue
import MultiBufferSHA256

/// The digests of a bundle's bytes, each byte of the photo read once.
struct BundleDigests: Sendable, Equatable {
    let photo: SHA256Digest
    let depth: SHA256Digest
    let clientDataHash: SHA256Digest

    /// What has to be hashed for a bundle: the photo, going on with the depth map where the binding asks
    /// for it, and the depth map.
    static func messages(of bundle: CaptureBundle, binding: Binding) -> (photo: HashedMessage, depth: HashedMessage) {
        switch binding {
        case .concatV1: (HashedMessage(bundle.photo, then: bundle.depth), HashedMessage(bundle.depth))
        case .framedV2: (HashedMessage(bundle.photo), HashedMessage(bundle.depth))
        }
    }

    /// Takes what the messages of a bundle came to.
    init(photo: MessageDigests, depth: MessageDigests, metadata: [UInt8], binding: Binding) {
        self.photo = photo.head
        self.depth = depth.whole
        clientDataHash =
            switch binding {
            case .concatV1: photo.whole
            case .framedV2: Binding.framedV2Hash(photo: photo.head, depth: depth.whole, metadata: .hash(metadata))
            }
    }
}
