import CaptureModel
import Crypto
import Foundation
import Testing

@testable import AppAttest

/// Keys of Ed25519 with which anybody signs.
@Suite struct SmallOrderKeyTests {
    /// y of the points of small order, little-endian, and the two of them that can be written in another way.
    private static let encodings = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    /// The neutral element, y = 1.
    static let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
    /// R is the neutral element as well, and s is 0.
    static let signatureOfNeutral: [UInt8] = neutral + [UInt8](repeating: 0, count: 32)

    @Test(arguments: encodings, [UInt8(0), 0x80])
    func `a point of small order is no key, however it is written`(_ encoding: String, _ sign: UInt8) throws {
        var bytes = try #require(Hex.decode(encoding))
        bytes[31] |= sign
        #expect(Ed25519Key(bytes) == nil)
        let error = #expect(throws: AppAttest.AssertionError.self) { try AssertionKey(ed25519: bytes) }
        #expect(error?.code == .publicKeyMalformed)
    }

    @Test(arguments: [[], [1, 2, 3]] as [[UInt8]])
    func `the library takes one of them, and one signature by it for every message`(_ message: [UInt8]) throws {
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: Self.neutral)
        #expect(key.isValidSignature(Self.signatureOfNeutral, for: message))
    }

    @Test func `any other key of 32 bytes is taken`() throws {
        for _ in 0..<16 {
            let key = Curve25519.Signing.PrivateKey()
            let read = try #require(Ed25519Key(Array(key.publicKey.rawRepresentation)))
            let signature = Array(try key.signature(for: Data([1])))
            #expect(read.isValid(signature, for: [1]) && !read.isValid(signature, for: [2]))
        }
        // RFC 8032, 7.1, the first test.
        let known = try #require(Hex.decode("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
        #expect(throws: Never.self) { try AssertionKey(ed25519: known) }
        #expect(Ed25519Key(Self.neutral + [0]) == nil && Ed25519Key(Array(Self.neutral.dropLast())) == nil)
    }
}
