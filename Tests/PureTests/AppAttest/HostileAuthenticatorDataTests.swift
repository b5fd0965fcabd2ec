import AppAttest
import CBOR
import Crypto
import Testing

/// Authenticator data of an attestation that break one rule each.
@Suite struct `Hostile authenticator data of attestations` {
    static let cases: [ForgedCase] = [
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

    @Test(arguments: cases)
    func `each change of the authenticator data gets the reason that is its own`(_ item: ForgedCase) throws {
        try item.expectReason()
    }

    /// As numbers they would lose their zeros: the key id of one phone in 128 would be another.
    @Test(arguments: [379, 43] as [UInt16])
    func `a key's coordinates keep the zeros that they begin with`(_ scalar: UInt16) throws {
        var forge = AttestationForge()
        let bytes = [UInt8](repeating: 0, count: 30) + [UInt8(scalar >> 8), UInt8(scalar & 0xFF)]
        forge.deviceKey = try P256.Signing.PrivateKey(rawRepresentation: bytes)
        #expect(forge.x963[1] == 0 || forge.x963[33] == 0)
        #expect(try forge.verify().publicKey == forge.x963)
    }
}
