public import Crypto

/// How the bytes of a capture become the clientDataHash that the device signed.
public enum Binding: String, Sendable, CaseIterable, Codable {
    /// SHA-256(photo ‖ depth) over the bytes as uploaded: what the shipped app signs.
    case concatV1 = "concat-v1"
    /// SHA-256 over the digests of photo, depth and metadata as text: it is clear where each of them ends, and the
    /// metadata are signed, too.
    case framedV2 = "framed-v2"

    /// Whether the device's signature says that the metadata are its app's own words.
    public var coversMetadata: Bool {
        switch self {
        case .concatV1: false
        case .framedV2: true
        }
    }

    /// The binding of a bundle whose metadata name none: the shipped app does not name its own.
    package static let unnamed = Binding.concatV1

    /// The clientDataHash of `framed-v2`, from the three digests.
    public static func framedV2Hash(photo: SHA256Digest, depth: SHA256Digest, metadata: SHA256Digest) -> SHA256Digest {
        .hash(Array(framedV2Text(photo: photo.hex, depth: depth.hex, metadata: metadata.hex).utf8))
    }

    /// The text whose SHA-256 is the clientDataHash of `framed-v2`, from the three digests as hexadecimal digits.
    package static func framedV2Text(photo: String, depth: String, metadata: String) -> String {
        "capture-v2\n\(photo)\n\(depth)\n\(metadata)"
    }

    /// The clientDataHash of `concat-v1`, from a hasher that has taken in the photo's bytes and then the depth map's.
    public static func concatV1Hash(_ hasher: SHA256) -> SHA256Digest {
        SHA256Digest(hasher.finalize())
    }
}
