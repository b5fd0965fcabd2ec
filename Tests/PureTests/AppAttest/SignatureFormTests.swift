import CBOR
import Crypto
import Foundation
import MultiBufferP256
import Testing

@testable import AppAttest

/// Which strings are a signature: DER has one form of each pair of numbers, and both ways of verifying take that alone.
@Suite struct SignatureFormTests {
    private static let app = AppID("TEAM123456.org.example.camera")!
    private static let hash = [UInt8](repeating: 7, count: 32)
    private static let data: [UInt8] = app.rpIDHash + [0x40, 0, 0, 0, 1]
    private static let orderBytes: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]

    private struct Form {
        let name: String
        let bytes: [UInt8]
        let isSignature: Bool

        init(_ name: String, _ bytes: [UInt8], _ isSignature: Bool = false) {
            self.name = name
            self.bytes = bytes
            self.isSignature = isSignature
        }
    }

    private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag, UInt8(contents.count)] + contents
    }

    private static func sequence(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        element(0x30, element(2, r) + element(2, s))
    }

    /// The contents of an INTEGER that is not negative, in as few bytes as can be.
    private static func fewest(_ number: [UInt8]) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        return (digits.first ?? 0x80) & 0x80 == 0 ? digits : [0] + digits
    }

    /// The order of the base point with a number added or taken away, as the contents of an INTEGER.
    private static func order(_ sign: Int, _ number: [UInt8]) -> [UInt8] {
        var carry = 0
        var digits: [UInt8] = []
        for index in (0..<32).reversed() {
            let sum = Int(orderBytes[index]) + sign * Int(number[index]) + carry
            digits.insert(UInt8(truncatingIfNeeded: sum), at: 0)
            carry = sum >> 8
        }
        return fewest([UInt8(truncatingIfNeeded: carry)] + digits)
    }

    /// Of one genuine signature: its two forms, and what is none.
    private static func forms(_ raw: [UInt8]) -> [Form] {
        let (whole, half) = (Array(raw.prefix(32)), Array(raw.suffix(32)))
        let (r, s) = (fewest(whole), fewest(half))
        let good = sequence(r, s)
        let inside = Array(good.dropFirst(2))
        let negative: [UInt8] = [whole[0] | 0x80] + whole.dropFirst()
        let longInteger: [UInt8] = [2, 0x81, UInt8(r.count)] + r
        let longSequence: [UInt8] = [0x30, 0x81, UInt8(inside.count)] + inside
        let indefinite: [UInt8] = [0x30, 0x80] + inside + [0, 0]
        return [
            Form("as the device wrote it", good, true),
            Form("the order less s", sequence(r, order(-1, half)), true),
            Form("r with a zero too many", sequence([0] + r, s)),
            Form("s with a zero too many", sequence(r, [0] + s)),
            Form("a negative r", sequence(negative, s)),
            Form("r and 2^256", sequence([1] + whole, s)),
            Form("s and the order", sequence(r, order(1, half))),
            Form("r of no bytes", sequence([], s)),
            Form("r of zero", sequence([0], s)),
            Form("s of zero", sequence(r, [0])),
            Form("an INTEGER with a length of the long form", element(0x30, longInteger + element(2, s))),
            Form("a SEQUENCE with a length of the long form", longSequence),
            Form("a SEQUENCE of indefinite length", indefinite),
            Form("a SET", element(0x31, inside)),
            Form("a primitive SEQUENCE", element(0x10, inside)),
            Form("a constructed INTEGER", element(0x30, element(0x22, r) + element(2, s))),
            Form("one number", element(0x30, element(2, r))),
            Form("three numbers", element(0x30, inside + element(2, s))),
            Form("a byte behind it", good + [0]),
            Form("a byte too few", Array(good.dropLast())),
            Form("r and s alone", raw),
            Form("nothing", []),
        ]
    }

    private static func object(_ signature: [UInt8]) -> [UInt8] {
        CBORValue(["signature": .bytes(signature), "authenticatorData": .bytes(data)]).encode()
    }

    @Test func `the same strings are signatures on both ways`() throws {
        guard let prover = SignatureProver.shared else { try Test.cancel("this processor has no AVX-512 IFMA") }
        let device = P256.Signing.PrivateKey()
        let key = try AssertionKey(x963: Array(device.publicKey.x963Representation))
        let nonce = SHA256.hash(data: Self.data + Self.hash)
        // r and s have their highest bit in every second signature, and a byte of zeros in front in few.
        for _ in 0..<8 {
            let forms = Self.forms(Array(try device.signature(for: Array(nonce)).rawRepresentation))
            var signed = try forms.map { form in
                SignedAssertion(
                    try AssertionVerifier().parse(Self.object(form.bytes)), clientDataHash: Self.hash, publicKey: key)
            }
            SignedAssertion.prove(&signed, by: prover)
            for (form, proven) in zip(forms, signed) {
                #expect(proven.isProven == form.isSignature, "\(form.name)")
                let together = try? AssertionVerifier().verify(proven, appID: Self.app)
                #expect((together != nil) == form.isSignature, "\(form.name)")
                let alone = try? AssertionVerifier().verify(
                    Self.object(form.bytes), clientDataHash: Self.hash, publicKey: key, appID: Self.app)
                #expect((alone != nil) == form.isSignature, "\(form.name)")
            }
        }
    }
}
