@testable import AppAttest
import CBOR
import Crypto
import Foundation
import Testing

@Suite struct `Hostile assertions` {
    private static let app = AppID("TEAM123456.org.example.camera")!
    private let key = P256.Signing.PrivateKey()
    private let hash = Array(SHA256.hash(data: Array("client data".utf8)))

    private func data(flags: UInt8 = 0x40, counter: UInt32 = 1, tail: [UInt8] = []) -> [UInt8] {
        Self.app.rpIDHash + [flags] + withUnsafeBytes(of: counter.bigEndian, Array.init) + tail
    }

    private func sign(_ data: [UInt8]) throws -> [UInt8] {
        Array(try key.signature(for: Array(SHA256.hash(data: data + hash))).derRepresentation)
    }

    private func object(_ signature: [UInt8], _ data: [UInt8]) -> [UInt8] {
        CBORValue(["signature": .bytes(signature), "authenticatorData": .bytes(data)]).encode()
    }

    private func verdict(_ assertion: [UInt8], previous: Int64? = nil) throws -> AppAttest.AssertionError.Code? {
        let key = try AssertionKey(x963: Array(key.publicKey.x963Representation))
        do throws(AppAttest.AssertionError) {
            let verified = try AssertionVerifier().verify(
                assertion, clientDataHash: hash, publicKey: key, appID: Self.app)
            if let previous { try verified.requireCounter(above: previous) }
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        arguments: [
            (0x40, [], nil), (0x00, [], nil), (0xFF, [0xA0], nil), (0x40, [0xA0], nil), (0xC0, [0xA0], nil),
            (0xC0, [], .extensionsMissing), (0x40, [0x00], .extensionsNotAMap), (0x40, [0xFF], .extensionsMalformed),
            (0x40, [0xA0, 0xA0], .extensionsTrailingBytes), (0x40, [0xA1], .extensionsMalformed),
            (0xC0, [0xA1, 0x01, 0x02], nil), (0xC0, [0x80], .extensionsNotAMap),
        ] as [(UInt8, [UInt8], AppAttest.AssertionError.Code?)])
    func `what follows the counter is one map or nothing`(
        _ flags: UInt8, _ tail: [UInt8], _ expected: AppAttest.AssertionError.Code?
    ) throws {
        let data = data(flags: flags, tail: tail)
        #expect(try verdict(object(sign(data), data)) == expected)
    }

    @Test(arguments: 0...37) func `authenticator data have 37 bytes at least`(_ count: Int) throws {
        let data = Array(data().prefix(count))
        #expect(try verdict(object(sign(data), data)) == (count < 37 ? .authenticatorDataShort : nil))
        // Unsigned, the signature is the first reason; at the gateway, the length is.
        if count < 37 {
            #expect(try verdict(object([], data)) == .signatureInvalid)
            let error = #expect(throws: AppAttest.AssertionError.self) {
                try AssertionVerifier().parse(object([], data))
            }
            #expect(error?.code == .authenticatorDataShort)
        }
    }

    @Test(
        arguments: [
            (0, -1, true), (1, 0, true), (1, 1, false), (0, 0, false), (5, 4, true), (4, 5, false),
            (UInt32.max, Int64(UInt32.max) - 1, true), (UInt32.max, Int64(UInt32.max), false),
            (0x8000_0000, 0x7FFF_FFFF, true),
            (1, .max, false), (1, .min, true),
        ] as [(UInt32, Int64, Bool)])
    func `counters are unsigned and must rise`(_ counter: UInt32, _ previous: Int64, _ accepted: Bool) throws {
        let data = data(counter: counter)
        #expect(try verdict(object(sign(data), data), previous: previous) == (accepted ? nil : .counterNotGreater))
    }

    @Test func `a signature is DER, whole and nothing more`() throws {
        let data = data()
        let signature = try sign(data)
        let raw = Array(try P256.Signing.ECDSASignature(derRepresentation: signature).rawRepresentation)
        var longForm = signature
        longForm.replaceSubrange(1..<2, with: [0x81, signature[1]])
        var negative = signature
        negative[4] ^= 0x80
        let wrong = [
            [], raw, signature + [0], Array(signature.dropLast()), [0x30, 0], longForm, negative,
            [0x30, 6, 2, 1, 0, 2, 1, 0],
        ]
        for signature in wrong { #expect(try verdict(object(signature, data)) == .signatureInvalid) }
        #expect(try verdict(object(signature, data)) == nil)
    }

    @Test func `the nonce is signed as a message, hashed once more`() throws {
        let data = data()
        let single = try key.signature(for: data + hash)
        #expect(try verdict(object(Array(single.derRepresentation), data)) == .signatureInvalid)
    }

    @Test func `the object is one map with two byte strings`() throws {
        let data = data()
        let signature = try sign(data)
        let good = object(signature, data)
        let (s, d) = (CBORValue.bytes(signature), CBORValue.bytes(data))
        let cases: [([UInt8], AppAttest.AssertionError.Code?)] = [
            (good, nil), ([], .assertionMalformed), (good + [0], .assertionTrailingBytes),
            (Array(good.dropLast()), .assertionMalformed),
            ([0xA0], .assertionIncomplete), ([0x80], .assertionNotAMap), ([0xC1] + good, .assertionNotAMap),
            ([0xBF] + good.dropFirst() + [0xFF], .assertionMalformed),
            ([0xB8, 2] + good.dropFirst(), .assertionMalformed),
            (CBORValue(["authenticatorData": d, "x": .null, "signature": s]).encode(), nil),
            (CBORValue(["signature": s, "signature": s, "authenticatorData": d]).encode(), .assertionMalformed),
            (CBORValue(["signature": s]).encode(), .assertionIncomplete),
            (CBORValue(["Signature": s, "authenticatorData": d]).encode(), .assertionIncomplete),
            (CBORValue(["signature": .array([s]), "authenticatorData": d]).encode(), .assertionIncomplete),
            (CBORValue(["signature": s, "authenticatorData": .null]).encode(), .assertionIncomplete),
            (
                CBORValue.map([.init(.bytes(Array("signature".utf8)), s), .init(.text("authenticatorData"), d)])
                    .encode(), .assertionIncomplete
            ),
            ([0xA1, 0x60] + Array(repeating: 0x81, count: 3000), .assertionMalformed),
            (Array(repeating: 0, count: 16_385), .assertionTooLarge),
        ]
        for (assertion, expected) in cases { #expect(try verdict(assertion) == expected) }
    }

    @Test(arguments: [0, 1, 33, 64, 65, 66])
    func `a public key is a point of the curve in 65 bytes`(_ count: Int) {
        let bytes = Array(repeating: UInt8(4), count: count)
        let error = #expect(throws: AppAttest.AssertionError.self) { try AssertionKey(x963: bytes) }
        #expect(error?.code == .publicKeyMalformed)
    }

    @Test func `a bundle version that is no text does not meet a minimum`() throws {
        let policy = ExtensionPolicy(bundleVersionMinimum: DottedVersion("1"))
        for version in [CBORValue.bytes([0x31]), .unsigned(1), .text("one")] {
            let extensions = try #require(AuthenticatorExtensions(CBORValue(["apple_bundle_version_01": version])))
            #expect(policy.violations(of: extensions) == [.bundleVersion])
        }
        let none = try #require(AuthenticatorExtensions(CBORValue(["other": .unsigned(1)])))
        #expect(policy.violations(of: none) == [])
    }

    @Test func `the extension policy holds for assertions too`() throws {
        let tail = CBORValue([
            "apple_validation_category_01": .bytes([3, 0, 0, 0]), "apple_bundle_version_01": .text("9"),
        ]).encode()
        let data = data(flags: 0xC0, tail: tail)
        let assertion = object(try sign(data), data)
        let key = try AssertionKey(x963: Array(key.publicKey.x963Representation))
        func code(
            _ policy: ExtensionPolicy, _ attested: AttestedExtensions? = nil
        ) -> AppAttest.AssertionError.Code? {
            do throws(AppAttest.AssertionError) {
                _ = try AssertionVerifier(extensionPolicy: policy).verify(
                    assertion, clientDataHash: hash, publicKey: key, appID: Self.app, attested: attested)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(ExtensionPolicy()) == nil)
        #expect(code(ExtensionPolicy(validationCategories: [3], bundleVersionMinimum: DottedVersion("9"))) == nil)
        #expect(code(ExtensionPolicy(validationCategories: [4])) == .validationCategoryNotAllowed)
        #expect(code(ExtensionPolicy(bundleVersionMinimum: DottedVersion("10"))) == .bundleVersionNotAllowed)

        let higher = AttestedExtensions(bundleVersions: ["10"], validationCategories: [4])
        let same = AttestedExtensions(bundleVersions: ["10", "9.0"], validationCategories: [4, 3])
        let both = ExtensionPolicy(notBelowAttested: [.bundleVersion, .validationCategory])
        #expect(code(ExtensionPolicy(), higher) == nil, "it is asked for")
        #expect(code(ExtensionPolicy(notBelowAttested: [.bundleVersion]), higher) == .bundleVersionBelowAttested)
        #expect(code(both, higher) == .validationCategoryBelowAttested)
        #expect(code(both, same) == nil && code(both) == nil)
    }
}
