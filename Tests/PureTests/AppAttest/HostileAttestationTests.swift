import AppAttest
import CBOR
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

/// One change to an attestation that verifies without it.
struct ForgedCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: AttestationError.Code?
    let change: @Sendable (inout AttestationForge) -> Void

    init(
        _ name: String, _ expected: AttestationError.Code?,
        _ change: @escaping @Sendable (inout AttestationForge) -> Void
    ) {
        testDescription = name
        self.expected = expected
        self.change = change
    }
}

@Suite struct `Hostile attestations` {
    static let x509: [ForgedCase] = [
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

    static let data: [ForgedCase] = [
        ForgedCase("36 bytes", .authenticatorDataShort) { forge in forge.editData = { $0 = Array($0.prefix(36)) } },
        ForgedCase("37 bytes", .authenticatorDataShort) { forge in forge.editData = { $0 = Array($0.prefix(37)) } },
        ForgedCase("54 bytes", .authenticatorDataShort) { forge in forge.editData = { $0 = Array($0.prefix(54)) } },
        ForgedCase("86 bytes", .authenticatorDataShort) { forge in forge.editData = { $0 = Array($0.prefix(86)) } },
        ForgedCase("87 bytes", .publicKeyMalformed) { forge in forge.editData = { $0 = Array($0.prefix(87)) } },
        ForgedCase("empty", .authenticatorDataShort) { forge in forge.editData = { $0 = [] } },
        ForgedCase("AT clear", .credentialMissing) { $0.flags = 0 },
        ForgedCase("all other flags set", nil) { $0.flags = 0x7F },
        ForgedCase("credential id of 0 bytes", .credentialIDLength) {
            $0.credentialIDLength = 0; $0.credentialID = []
        },
        ForgedCase("credential id of 33 bytes", .credentialIDLength) {
            $0.credentialIDLength = 33
            $0.credentialID = $0.keyID + [0]
        },
        ForgedCase("credential id of 65535 bytes", .credentialIDLength) { $0.credentialIDLength = .max },
        ForgedCase("credential id of 288 bytes", .credentialIDLength) { $0.credentialIDLength = 0x0120 },
        ForgedCase("credential id of another key", .credentialIDMismatch) {
            $0.credentialID = Array(repeating: 1, count: 32)
        },
        ForgedCase("key of another device", .publicKeyMismatch) { forge in
            forge.coseKey = AttestationForge.cose(Array(P256.Signing.PrivateKey().publicKey.x963Representation))
                .encode()
        },
        ForgedCase("key for P-384", .publicKeyUnsupported) { forge in
            let x963 = Array(P384.Signing.PrivateKey().publicKey.x963Representation)
            forge.coseKey = edit(forge) { entries in
                entries[1] = .init(CBORValue(3), CBORValue(-35))
                entries[2] = .init(CBORValue(-1), CBORValue(2))
                entries[3] = .init(CBORValue(-2), .bytes(Array(x963[1..<49])))
                entries[4] = .init(CBORValue(-3), .bytes(Array(x963[49..<97])))
            }
        },
        ForgedCase("key with a sixth parameter", .publicKeyUnsupported) { forge in
            forge.coseKey = edit(forge) { $0.append(.init(CBORValue(2), .bytes([1]))) }
        },
        ForgedCase("key with four parameters", .publicKeyUnsupported) { forge in
            forge.coseKey = edit(forge) { $0.removeLast() }
        },
        ForgedCase("key with x of 31 bytes", .publicKeyUnsupported) { forge in
            forge.coseKey = edit(forge) { $0[3] = .init(CBORValue(-2), .bytes(Array(repeating: 1, count: 31))) }
        },
        ForgedCase("key with y as its sign", .publicKeyUnsupported) { forge in
            forge.coseKey = edit(forge) { $0[4] = .init(CBORValue(-3), .bool(true)) }
        },
        ForgedCase("key with its parameters in another order", nil) { forge in
            forge.coseKey = edit(forge) { $0.reverse() }
        },
        ForgedCase("key under a tag", .publicKeyUnsupported) { forge in
            forge.coseKey = [0xC1] + AttestationForge.cose(forge.x963).encode()
        },
        ForgedCase("key with a parameter twice", .publicKeyMalformed) { forge in
            forge.coseKey = edit(forge) { $0[1] = $0[0] }
        },
        ForgedCase("key as an array", .publicKeyUnsupported) { $0.coseKey = [0x80] },
        ForgedCase("key of indefinite length", .publicKeyMalformed) { forge in
            forge.coseKey = [0xBF] + AttestationForge.cose(forge.x963).encode().dropFirst() + [0xFF]
        },
        ForgedCase("ED set, nothing follows", .extensionsMissing) { $0.flags = 0xC0 },
        ForgedCase("ED set, empty map", nil) {
            $0.flags = 0xC0; $0.tail = [0xA0]
        },
        ForgedCase("ED clear, empty map", nil) { $0.tail = [0xA0] },
        ForgedCase("map with number keys", nil) { $0.tail = [0xA1, 0x01, 0x02] },
        ForgedCase("map, then a byte", .extensionsTrailingBytes) { $0.tail = [0xA0, 0x00] },
        ForgedCase("two maps", .extensionsTrailingBytes) { $0.tail = [0xA0, 0xA0] },
        ForgedCase("array", .extensionsNotAMap) { $0.tail = [0x80] },
        ForgedCase("null", .extensionsNotAMap) { $0.tail = [0xF6] },
        ForgedCase("map cut off", .extensionsMalformed) { $0.tail = [0xA1, 0x01] },
        ForgedCase("map of indefinite length", .extensionsMalformed) { $0.tail = [0xBF, 0xFF] },
        ForgedCase("map with a key twice", .extensionsMalformed) { $0.tail = [0xA2, 0x01, 0x02, 0x01, 0x02] },
        ForgedCase("map with a huge count", .extensionsMalformed) {
            $0.tail = [0xBB] + Array(repeating: 0xFF, count: 8)
        },
        ForgedCase("other app", .rpIDMismatch) { $0.rpID = "TEAM123456.org.example.other" },
        ForgedCase("app in other case", .rpIDMismatch) { $0.rpID = "TEAM123456.org.example.Camera" },
        ForgedCase("app without team", .rpIDMismatch) { $0.rpID = "org.example.camera" },
        ForgedCase("counter 1", .counterNotZero) { $0.counter = 1 },
        ForgedCase("counter 2^32 - 1", .counterNotZero) { $0.counter = .max },
        ForgedCase("development", .environmentMismatch) { $0.aaguid = Array("appattestdevelop".utf8) },
        ForgedCase("AAGUID of zeros", .environmentUnknown) { $0.aaguid = Array(repeating: 0, count: 16) },
        ForgedCase("AAGUID cut to its beginning", .environmentUnknown) { $0.aaguid = Array("appattestxxxxxxx".utf8) },
    ]

    private static func edit(_ forge: AttestationForge, _ change: (inout [CBORValue.Entry]) -> Void) -> [UInt8] {
        var entries = AttestationForge.cose(forge.x963).map ?? []
        change(&entries)
        return CBORValue.map(entries).encode()
    }

    static let statement: [ForgedCase] = [
        ForgedCase("receipt missing", .receiptMissing) { $0.receipt = nil },
        ForgedCase("receipt as text", .receiptMissing) { $0.receipt = CBORValue.text("receipt") },
        ForgedCase("receipt null", .receiptMissing) { $0.receipt = CBORValue.null },
        ForgedCase("receipt of no bytes", .receiptMissing) { $0.receipt = CBORValue.bytes([]) },
        ForgedCase("too large", .attestationTooLarge) {
            $0.receipt = CBORValue.bytes(Array(repeating: 0, count: 16_384))
        },
        ForgedCase("no certificate", .certificateCount) { $0.certificates = { _ in .array([]) } },
        ForgedCase("one certificate", .certificateCount) { $0.certificates = { ders in .array([.bytes(ders[0])]) } },
        ForgedCase("three certificates", .certificateCount) { forge in
            forge.certificates = { ders in .array([.bytes(ders[0]), .bytes(ders[1]), .bytes(ders[1])]) }
        },
        ForgedCase("certificates as one string", .certificateCount) { $0.certificates = { ders in .bytes(ders[0]) } },
        ForgedCase("certificates as texts", .certificateCount) {
            $0.certificates = { _ in .array([.text("a"), .text("b")]) }
        },
        ForgedCase("certificates empty", .certificateMalformed) {
            $0.certificates = { _ in .array([.bytes([]), .bytes([])]) }
        },
        ForgedCase("certificate with a trailing byte", .certificateMalformed) {
            $0.certificates = { ders in .array([.bytes(ders[0] + [0]), .bytes(ders[1])]) }
        },
        ForgedCase("intermediate with a trailing byte", .certificateMalformed) {
            $0.certificates = { ders in .array([.bytes(ders[0]), .bytes(ders[1] + [0])]) }
        },
        ForgedCase("certificates in reverse", .leafIssuerMismatch) {
            $0.certificates = { ders in .array([.bytes(ders[1]), .bytes(ders[0])]) }
        },
    ]

    private static func whole(_ parts: KeyValuePairs<String, CBORValue>) -> [UInt8] { CBORValue(parts).encode() }

    static let object: [ForgedCase] = [
        ForgedCase("an unknown key", nil) { forge in
            forge.encode = { whole(["fmt": $0, "cdHash": .bytes([1]), "attStmt": $1, "authData": $2]) }
        },
        ForgedCase("another order", nil) { forge in
            forge.encode = { whole(["authData": $2, "attStmt": $1, "fmt": $0]) }
        },
        ForgedCase("a key twice", .attestationMalformed) { forge in
            forge.encode = { whole(["fmt": $0, "attStmt": $1, "authData": $2, "authData": $2]) }
        },
        ForgedCase("map of indefinite length", .attestationMalformed) { forge in
            forge.encode = { [0xBF] + Array(whole(["fmt": $0, "attStmt": $1, "authData": $2]).dropFirst()) + [0xFF] }
        },
        ForgedCase("map's count in two bytes", .attestationMalformed) { forge in
            forge.encode = { [0xB8, 0x03] + Array(whole(["fmt": $0, "attStmt": $1, "authData": $2]).dropFirst()) }
        },
        ForgedCase("under a tag", .attestationNotAMap) { forge in
            forge.encode = { [0xD9, 0xD9, 0xF7] + whole(["fmt": $0, "attStmt": $1, "authData": $2]) }
        },
        ForgedCase("in an array", .attestationNotAMap) { forge in
            forge.encode = { [0x81] + whole(["fmt": $0, "attStmt": $1, "authData": $2]) }
        },
        ForgedCase("trailing byte", .attestationTrailingBytes) { forge in
            forge.encode = { whole(["fmt": $0, "attStmt": $1, "authData": $2]) + [0xF6] }
        },
        ForgedCase("deep nesting", .attestationMalformed) { forge in
            forge.encode = { _, _, _ in [0xA1, 0x60] + Array(repeating: 0x81, count: 15_000) }
        },
        ForgedCase("huge count", .attestationMalformed) { forge in
            forge.encode = { _, _, _ in [0xBA, 0xFF, 0xFF, 0xFF, 0xFF] }
        },
        ForgedCase("format missing", .formatUnknown) { forge in
            forge.encode = { _, statement, data in whole(["attStmt": statement, "authData": data]) }
        },
        ForgedCase("format as bytes", .formatUnknown) { forge in
            forge.encode = { whole(["fmt": .bytes(Array(($0.text ?? "").utf8)), "attStmt": $1, "authData": $2]) }
        },
        ForgedCase("format in capitals", .formatUnknown) { forge in
            forge.encode = { _, statement, data in
                whole(["fmt": .text("Apple-AppAttest"), "attStmt": statement, "authData": data])
            }
        },
        ForgedCase("statement missing", .attestationIncomplete) { forge in
            forge.encode = { format, _, data in whole(["fmt": format, "authData": data]) }
        },
        ForgedCase("statement as bytes", .attestationIncomplete) { forge in
            forge.encode = { whole(["fmt": $0, "attStmt": .bytes($1.encode()), "authData": $2]) }
        },
        ForgedCase("authenticator data missing", .attestationIncomplete) { forge in
            forge.encode = { format, statement, _ in whole(["fmt": format, "attStmt": statement]) }
        },
    ]

    @Test(arguments: x509 + data + statement + object)
    func `each change gets its reason, and nothing else does`(_ item: ForgedCase) throws {
        var forge = AttestationForge()
        item.change(&forge)
        do {
            _ = try forge.verify()
            #expect(item.expected == nil)
        } catch let error as AttestationError {
            #expect(error.code == item.expected, "\(error)")
        }
    }

    @Test(arguments: [0, 1, 31, 33, 64])
    func `a key id of another length matches no key`(_ count: Int) throws {
        let forge = AttestationForge()
        let verifier = AttestationVerifier(
            policy: AttestationPolicy(appIDs: [AttestationForge.app], roots: [try forge.trustRoot()]))
        let keyID = Array((forge.keyID + forge.keyID).prefix(count))
        let error = #expect(throws: AttestationError.self) {
            try verifier.verify(
                attestation: forge.attestation(), keyID: keyID, clientDataHash: forge.challengeHash,
                at: AttestationForge.moment)
        }
        #expect(error?.code == .keyIDMismatch)
        #expect(UnverifiedAttestation.publicKey(in: try forge.attestation(), keyID: keyID) == nil)
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
    mutating func replace(_ old: [UInt8], with new: [UInt8]) {
        guard old.count == new.count, count >= old.count,
            let start = (0...(count - old.count)).first(where: { self[$0..<$0 + old.count].elementsEqual(old) })
        else { return }
        replaceSubrange(start..<start + old.count, with: new)
    }
}
