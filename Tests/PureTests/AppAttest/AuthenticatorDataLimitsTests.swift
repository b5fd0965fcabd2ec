import AppAttest
import CBOR
import Testing

/// What is read at most, and taken at all, of the CBOR that devices sign.
@Suite struct `The CBOR of authenticator data` {
    /// A map whose one value lies in as many arrays.
    private static func nested(_ arrays: Int) -> [UInt8] {
        [0xA1, 0x00] + [UInt8](repeating: 0x81, count: arrays) + [0x00]
    }

    /// A map with a list of so many zeros that there are as many items: the map, the key and the list are three.
    private static func wide(_ items: Int) -> [UInt8] {
        [0xA1, 0x00, 0x98, UInt8(items - 3)] + [UInt8](repeating: 0x00, count: items - 3)
    }

    private static let taken = [nested(3), wide(256)]
    private static let refused = [(nested(4), "DEPTH_EXCEEDED"), (wide(257), "ITEMS_EXCEEDED")]

    /// Why an attestation is not accepted; `nil` when it is.
    private func fault(_ change: (inout AttestationForge) -> Void) throws -> AttestationError? {
        var forge = AttestationForge()
        change(&forge)
        do {
            _ = try forge.verify()
            return nil
        } catch let error as AttestationError {
            return error
        }
    }

    @Test func `an attestation's extensions have four levels and 256 items at most`() throws {
        for tail in Self.taken { #expect(try fault { $0.tail = tail } == nil) }
        for (tail, limit) in Self.refused {
            let found = try fault { $0.tail = tail }
            #expect(found?.code == .extensionsMalformed && found?.message.contains(limit) == true)
        }
    }

    @Test func `an attestation's key has four levels and 256 items at most`() throws {
        for key in Self.taken { #expect(try fault { $0.coseKey = key }?.code == .publicKeyUnsupported) }
        for (key, limit) in Self.refused {
            let found = try fault { $0.coseKey = key }
            #expect(found?.code == .publicKeyMalformed && found?.message.contains(limit) == true)
        }
    }

    @Test func `an assertion's extensions have four levels and 256 items at most`() throws {
        func parse(_ tail: [UInt8]) throws -> ParsedAssertion {
            let data = AttestationForge.app.rpIDHash + [0x40, 0, 0, 0, 1] + tail
            return try AssertionVerifier().parse(
                CBORValue(["signature": .bytes([]), "authenticatorData": .bytes(data)]).encode())
        }
        for tail in Self.taken { #expect(throws: Never.self) { try parse(tail) } }
        for (tail, limit) in Self.refused {
            let error = #expect(throws: AppAttest.AssertionError.self) { try parse(tail) }
            #expect(error?.code == .extensionsMalformed && error?.message.contains(limit) == true)
        }
    }

    /// The place of a parameter in the key, its number, and another value; both coordinates stay.
    @Test(arguments: [(0, 1, 3), (1, 3, -8), (2, -1, 2)])
    func `a key is of EC2, for ES256 and on P-256, each by itself`(place: Int, number: Int, value: Int) throws {
        let found = try fault { forge in
            var parameters = AttestationForge.cose(forge.x963).map ?? []
            parameters[place] = .init(CBORValue(number), CBORValue(value))
            forge.coseKey = CBORValue.map(parameters).encode()
        }
        #expect(found?.code == .publicKeyUnsupported)
    }
}
