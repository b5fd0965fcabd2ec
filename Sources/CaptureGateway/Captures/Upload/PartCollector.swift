import Crypto
import NIOCore

/// A part as it grows: its bytes, and their digest so far.
struct PartCollector {
    /// The bytes so far.
    private(set) var bytes = ByteBuffer()
    /// The digest so far of the same bytes.
    private(set) var hasher = SHA256()

    /// Takes more bytes in, once for keeping and once for the digest.
    mutating func append(_ slice: ByteBuffer) {
        slice.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
        bytes.writeImmutableBuffer(slice)
    }
}
