import CaptureModel
import MultiBufferSHA256
import NIOCore
import Testing

/// Vectors that the makers of SHA-256 published.
@Suite struct PublishedVectorTests {
    /// A message and its digest.
    struct Vector: Sendable, CustomTestStringConvertible {
        let source: String
        let message: [UInt8]
        let digest: String

        var testDescription: String { "\(source), \(message.count) bytes" }
    }

    static let vectors: [Vector] =
        [
            // FIPS 180-4's examples, by way of NIST's "Examples with Intermediate Values".
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                    + "mnopqrstnopqrstu", "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ].map { Vector(source: "FIPS 180-4", message: Array($0.0.utf8), digest: $0.1) }
        + [
            // NIST CAVP, SHA256ShortMsg.rsp.
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("d3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"),
            ("11af", "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"),
            ("b4190e", "dff2e73091f6c05e528896c4c831b9448653dc2ff043528f6769437bc7b975c2"),
            ("74ba2521", "b16aa56be3880d18cd41e68384cf1ec8c17680c45a02b1575dc1518923ae8b0e"),
            ("c299209682", "f0887fe961c9cd3beab957e8222494abb969b1ce4c6557976df8b0f6d20e9166"),
            ("e1dc724d5621", "eca0a060b489636225b4fa64d267dabbe44273067ac679f20820bddc6b6a90ac"),
            ("06e076f5a442d5", "3fd877e27450e6bbd5d74bb82f9870c64c66e109418baa8e6bbcff355e287926"),
            ("5738c929c4f4ccb6", "963bb88f27f512777aab6c8b1a02c70ec0ad651d428f870036e1917120fb48bf"),
        ].map { Vector(source: "CAVP", message: Hex.decode($0.0) ?? [], digest: $0.1) }

    @Test(arguments: HashingWidth.allCases)
    func `the published vectors come out in whatever lane they are`(_ width: HashingWidth) throws {
        try width.orCancel()
        // One in each lane, and the others next to it.
        for turn in 0..<width.lanes {
            let turned = Array(
                Self.vectors[(turn % Self.vectors.count)...] + Self.vectors[..<(turn % Self.vectors.count)])
            let messages = turned.map { HashedMessage(ByteBuffer(bytes: $0.message)) }
            let digests = MessageHasher(width: width).digests(of: messages)
            for (vector, digest) in zip(turned, digests) {
                #expect(digest.whole.hex == vector.digest, "\(vector.testDescription)")
            }
        }
    }
}

extension HashingWidth {
    /// Says so where a processor cannot do it, lest a test be thought to have passed.
    func orCancel() throws {
        if !isAvailable { try Test.cancel("NOT TESTED HERE: this processor has no \(self) lanes") }
    }
}
