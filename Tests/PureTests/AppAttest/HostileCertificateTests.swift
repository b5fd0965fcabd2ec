import AppAttest
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

/// Certificates of an attestation that break one rule each.
@Suite struct `Hostile certificates of attestations` {
    static let cases: [ForgedCase] = [
        ForgedCase("unchanged", nil) { _ in },
        ForgedCase("root with path length 0", .pathTooLong) { $0.rootPathLength = 0 },
        ForgedCase("root with path length 1", nil) { $0.rootPathLength = 1 },
        ForgedCase("root expired", .rootExpired) { $0.rootNotAfter = AttestationForge.moment.addingTimeInterval(-1) },
        ForgedCase("root in the future", .rootNotYetValid) {
            $0.rootNotBefore = AttestationForge.moment.addingTimeInterval(1)
        },
        ForgedCase("intermediate without constraints", .intermediateConstraintsMissing) {
            $0.intermediateConstraints = nil
        },
        ForgedCase("intermediate constraints not critical", .intermediateNotAuthority) {
            $0.intermediateConstraints?.critical = false
        },
        ForgedCase("intermediate no authority", .intermediateNotAuthority) {
            $0.intermediateConstraints = $0.leafConstraints
        },
        ForgedCase("intermediate without usage", .intermediateKeyUsage) { $0.intermediateUsage = nil },
        ForgedCase("intermediate may not sign certificates", .intermediateKeyUsage) {
            $0.intermediateUsage = $0.leafUsage
        },
        ForgedCase("intermediate with an unknown critical extension", .criticalExtensionUnknown) {
            $0.intermediateExtra = [.init(oid: [1, 2, 3], critical: true, value: [5, 0])]
        },
        ForgedCase("intermediate with critical name constraints", .criticalExtensionUnknown) {
            $0.intermediateExtra = [.init(oid: [2, 5, 29, 30], critical: true, value: [0x30, 0])]
        },
        ForgedCase("intermediate in the future", .intermediateNotYetValid) {
            $0.intermediateNotBefore = AttestationForge.moment.addingTimeInterval(1)
        },
        ForgedCase("leaf without constraints", .leafIsAuthority) { $0.leafConstraints = nil },
        ForgedCase("leaf is an authority", .leafIsAuthority) { $0.leafConstraints = $0.intermediateConstraints },
        ForgedCase("leaf without usage", .leafKeyUsage) { $0.leafUsage = nil },
        ForgedCase("leaf may not sign", .leafKeyUsage) { $0.leafUsage = $0.intermediateUsage },
        ForgedCase("leaf with an unknown critical extension", .criticalExtensionUnknown) {
            $0.leafExtra = [.init(oid: [1, 2, 3], critical: true, value: [5, 0])]
        },
        ForgedCase("leaf with an unknown extension", nil) {
            $0.leafExtra = [.init(oid: [1, 2, 3], critical: false, value: [5, 0])]
        },
        ForgedCase("leaf with an extended key usage", nil) {
            $0.leafExtra = [.init(oid: [2, 5, 29, 37], critical: true, value: [0x30, 0x03, 0x06, 0x01, 0x2A])]
        },
        ForgedCase("leaf's signature with another algorithm's name", .certificateMalformed) { forge in
            forge.editLeaf = { $0.replace([0x3D, 0x04, 0x03, 0x02], with: [0x3D, 0x04, 0x03, 0x03]) }
        },
        ForgedCase("leaf signed with SHA-512", nil) { $0.leafAlgorithm = .ecdsaWithSHA512 },
        ForgedCase("leaf signature empty", .leafSignatureInvalid) { $0.leafSignature = [] },
        ForgedCase("leaf signature all zero", .leafSignatureInvalid) {
            $0.leafSignature = Array(repeating: 0, count: 96)
        },
        ForgedCase("leaf signature with a bit that does not count", .certificateMalformed) {
            $0.leafSignaturePadding = 1
        },
        ForgedCase("leaf key on P-384", .leafKeyType) { $0.leafKey = .init($0.intermediateKey.publicKey) },
        ForgedCase("leaf key for Ed25519", .leafKeyType) {
            $0.leafKey = .init(Curve25519.Signing.PrivateKey().publicKey)
        },
        ForgedCase("leaf key on an unknown curve", .leafKeyType) { forge in
            forge.editLeaf = {
                $0.replace(
                    [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07],
                    with: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x06])
            }
        },
        ForgedCase("leaf key with a bit that does not count", .leafKeyType) { forge in
            // Bits that do not count have to be 0.
            while !forge.x963[64].isMultiple(of: 2) { forge.deviceKey = P256.Signing.PrivateKey() }
            forge.editLeaf = { $0.replace([0x03, 0x42, 0x00, 0x04], with: [0x03, 0x42, 0x01, 0x04]) }
        },
        ForgedCase("leaf key of another device", .keyIDMismatch) {
            $0.leafKey = .init(P256.Signing.PrivateKey().publicKey)
        },
        ForgedCase("nonce missing", .nonceMissing) { $0.nonceHeader = nil },
        ForgedCase("nonce bare", .nonceMalformed) { $0.nonceHeader = [] },
        ForgedCase("nonce in an octet string alone", .nonceMalformed) { $0.nonceHeader = [0x04, 0x20] },
        ForgedCase("nonce under tag 3", .nonceMalformed) { $0.nonceHeader = [0x30, 0x24, 0xA3, 0x22, 0x04, 0x20] },
        ForgedCase("nonce behind junk", .nonceMalformed) {
            $0.nonceHeader = [0x30, 0x26, 5, 0, 0xA1, 0x22, 0x04, 0x20]
        },
        ForgedCase("nonce with long lengths", .nonceMalformed) {
            $0.nonceHeader = [0x30, 0x81, 0x24, 0xA1, 0x22, 0x04, 0x20]
        },
        ForgedCase("certified app id of another app", .appIDMismatch) {
            $0.leafExtra = [properties("TEAM123456.org.example.other")]
        },
        ForgedCase("certified app id in other case", .appIDMismatch) {
            $0.leafExtra = [properties("TEAM123456.org.example.Camera")]
        },
        ForgedCase("certified app id", nil) { $0.leafExtra = [properties(AttestationForge.app.text)] },
        ForgedCase("key properties that are no DER", nil) {
            $0.leafExtra = [.init(oid: [1, 2, 840, 113635, 100, 8, 5], critical: false, value: [0x30, 0x84, 1])]
        },
        ForgedCase("extensions named twice", .certificateMalformed) { forge in
            forge.leafExtra = [
                .init(oid: [1, 2, 3], critical: false, value: []), .init(oid: [1, 2, 4], critical: false, value: []),
            ]
            forge.editLeaf = { $0.replace([0x06, 0x02, 0x2A, 0x04], with: [0x06, 0x02, 0x2A, 0x03]) }
        },
        ForgedCase("leaf with 32 extensions", nil) { $0.leafExtra = extensionsOfFullLeaf() },
        ForgedCase("leaf with 33 extensions", .certificateMalformed) { forge in
            forge.leafExtra = extensionsOfFullLeaf()
            forge.editLeaf = {
                // swift-certificates writes no more than 32: the last one is replaced by two.
                $0.replace(
                    [0x30, 14, 6, 2, 0x2A, 3, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0],
                    with: [0x30, 6, 6, 2, 0x2A, 3, 4, 0, 0x30, 6, 6, 2, 0x2A, 4, 4, 0])
            }
        },
        ForgedCase("leaf of version 2 with extensions", .certificateMalformed) { forge in
            forge.editLeaf = { $0.replace([0xA0, 3, 2, 1, 2], with: [0xA0, 3, 2, 1, 1]) }
        },
        ForgedCase("leaf of version 4", .certificateMalformed) { forge in
            forge.editLeaf = { $0.replace([0xA0, 3, 2, 1, 2], with: [0xA0, 3, 2, 1, 3]) }
        },
        ForgedCase("leaf with a GeneralizedTime", nil) { $0.editLeaf = beginning(at: "20260101000000Z") },
        ForgedCase("leaf with a fraction in a GeneralizedTime", .certificateMalformed) {
            $0.editLeaf = beginning(at: "20260101000000.5Z")
        },
        ForgedCase("month 13", .certificateMalformed) { forge in
            forge.leafNotBefore = Date(timeIntervalSince1970: 1_767_225_600)
            forge.editLeaf = { $0.replace(Array("260101000000Z".utf8), with: Array("261301000000Z".utf8)) }
        },
    ]

    private static func properties(_ appID: String) -> Certificate.Extension {
        let text = AttestationForge.tlv(0x04, Array(appID.utf8))
        // [1204] in the multi-byte form of tag numbers.
        let value = AttestationForge.tlv(0x30, [0xBF, 0x89, 0x34, UInt8(text.count)] + text)
        return .init(oid: [1, 2, 840, 113635, 100, 8, 5], critical: false, value: value[...])
    }

    /// Makes 32 with the three that every leaf has; the last is as long as two of the others.
    private static func extensionsOfFullLeaf() -> [Certificate.Extension] {
        let short = (UInt(10)..<38).map { Certificate.Extension(oid: [1, 2, $0], critical: false, value: []) }
        return short + [.init(oid: [1, 2, 3], critical: false, value: [0, 0, 0, 0, 0, 0, 0, 0])]
    }

    /// Writes a GeneralizedTime for the UTCTime at which the leaf begins to be valid.
    private static func beginning(at time: String) -> @Sendable (inout [UInt8]) -> Void {
        { signed in
            guard let node = try? DER.parse(signed), case .constructed(let nodes) = node.content else {
                Issue.record("the certificate's signed part cannot be read, so that it was not changed")
                return
            }
            // Version, serial number, algorithm, issuer, validity and what follows.
            var fields = nodes.map { Array($0.encodedBytes) }
            #expect(fields[4].count == 32, "two UTCTimes in a sequence")
            let end = fields[4].suffix(15)
            fields[4] = AttestationForge.tlv(0x30, AttestationForge.tlv(0x18, Array(time.utf8)) + end)
            signed = AttestationForge.tlv(0x30, fields.flatMap(\.self))
        }
    }

    @Test(arguments: cases)
    func `each change of a certificate gets the reason that is its own`(_ item: ForgedCase) throws {
        try item.expectReason()
    }

    @Test(
        arguments: [
            (-86_400, nil), (-86_400.25, .leafNotYetValid), (172_800, nil), (172_800.25, .leafExpired), (0.5, nil),
        ] as [(Double, AttestationError.Code?)])
    func `validity has both its ends and not a fraction more`(_ offset: Double, _ expected: AttestationError.Code?)
        throws
    {
        let forge = AttestationForge()
        let verdict: AttestationError.Code?
        do {
            _ = try forge.verify(at: AttestationForge.moment.addingTimeInterval(offset))
            verdict = nil
        } catch let error as AttestationError {
            verdict = error.code
        }
        #expect(verdict == expected)
    }
}

extension [UInt8] {
    /// Replaces the first occurrence of bytes by as many others.
    fileprivate mutating func replace(_ old: [UInt8], with new: [UInt8]) {
        guard old.count == new.count, count >= old.count,
            let start = (0...(count - old.count)).first(where: { self[$0..<$0 + old.count].elementsEqual(old) })
        else {
            Issue.record("the certificate does not have the bytes \(old)")
            return
        }
        replaceSubrange(start..<start + old.count, with: new)
    }
}
