import Crypto
import NIOCore

/// The parts of an upload.
enum BundlePart: String, CaseIterable, Sendable {
    case photo
    case depthMap = "depth_map"
    case assertion
    case metadata

    /// The most bytes that the part may have.
    func bytesMax(_ configuration: GatewayConfiguration) -> Int {
        switch self {
        case .photo: configuration.photoBytesMax
        case .depthMap: configuration.depthBytesMax
        case .assertion: configuration.assertionBytesMax
        case .metadata: configuration.metadataBytesMax
        }
    }
}

/// A part as it grows: its bytes, and their digest so far.
struct PartCollector {
    /// The bytes so far.
    private(set) var bytes = ByteBuffer()
    /// Has taken in the same bytes.
    private(set) var hasher = SHA256()

    /// Takes more bytes in, once for keeping and once for the digest.
    mutating func append(_ slice: ByteBuffer) {
        slice.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
        bytes.writeImmutableBuffer(slice)
    }
}
