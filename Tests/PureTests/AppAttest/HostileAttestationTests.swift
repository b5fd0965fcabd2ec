import AppAttest
import CBOR
import Crypto
import Testing

/// Attestation objects that break one rule each, or have a member that is not what it must be.
@Suite struct `Hostile attestations` {
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

    private static func whole(_ parts: KeyValuePairs<String, CBORValue>) -> [UInt8] { CBORValue(parts).encode() }

    @Test(arguments: statement + object)
    func `each change of an attestation object gets the reason that is its own`(_ item: ForgedCase) throws {
        try item.expectReason()
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
    @Test func `an unverified key is one only if it is a point of the curve`() throws {
        var forge = AttestationForge()
        var x963 = forge.x963
        #expect(UnverifiedAttestation.publicKey(in: try forge.attestation(), keyID: forge.keyID) == x963)
        x963[64] ^= 1
        forge.coseKey = AttestationForge.cose(x963).encode()
        let keyID = Array(SHA256.hash(data: x963))
        #expect(UnverifiedAttestation.publicKey(in: try forge.attestation(), keyID: keyID) == nil)
    }
}
