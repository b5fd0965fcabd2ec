import CaptureModel
import Enrolment
import Testing

/// Sealed secrets stay in PostgreSQL for good: a release with another rule could not open those that are there.
///
/// Computed with Python's `cryptography`: HKDF of the bytes 0 to 31, nonce 0 to 11.
@Suite struct `A secret at rest` {
    private static let file = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let nonce = "000102030405060708090a0b"

    private static let vectors: [(purpose: String, secret: [UInt8], sealed: String)] = [
        (
            "transaction-key|0b9d2a6e-51c4-4f7b-8e0d-3a2f1c4b5d6e", Array(64..<96),
            "f4e8c386714313261324fbac3582649c7fd50a4fe58ea368b46f4e8fabd87352f004293d32d528c43a0a173ee1cd63ed"
        ),
        (
            "package|6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d", Array(#"{"token":"00"}"#.utf8),
            "cf8bf5aa5e633b43614f81d75bb28410fbac0cdf14a14d9e5577fc85127b"
        ),
    ]

    @Test(arguments: vectors) func `a secret at rest opens for what it was sealed for, by whomever`(
        purpose: String, secret: [UInt8], sealed: String
    ) throws {
        let seal = try #require(SecretSeal(keyFile: Self.file))
        let bytes = try #require(Hex.decode(Self.nonce + sealed))
        #expect(try seal.open(bytes, for: purpose) == secret)
        for other in Self.vectors.map(\.purpose) where other != purpose {
            #expect(throws: SecretSeal.Fault.self) { try seal.open(bytes, for: other) }
        }
    }
}
