import CaptureModel
import Testing

/// Swift 6.3 gives an async function that keeps a value of 32-byte alignment across an `await` a frame that is up to 16
/// bytes too short, and the heap is damaged behind it: tasks and their frames are aligned to 16 bytes.
@Suite("What goes through async functions lies where their frames have room for it")
struct DigestAlignmentTests {
    @Test func `digests, and what has them, lie where frames of async functions have room for them`() {
        #expect(MemoryLayout<SHA256Digest>.alignment <= 16)
        #expect(MemoryLayout<CaptureSubmission>.alignment <= 16)
        #expect(MemoryLayout<ProvenanceResult>.alignment <= 16)
    }

    @Test func `a digest is its 32 bytes still, and equal to no other`() throws {
        let bytes = (0..<32).map { UInt8($0) }
        let digest = try #require(SHA256Digest(bytes: bytes))
        #expect(digest.bytes == bytes && SHA256Digest(hex: digest.hex) == digest)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(SHA256Digest(bytes: other) != digest)
        }
    }
}
