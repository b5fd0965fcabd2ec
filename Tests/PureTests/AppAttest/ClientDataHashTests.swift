import AppAttest
import CBOR
import Crypto
import Foundation
import Testing

/// What is signed is one piece: only the length of the clientDataHash says where the authenticator data end.
@Suite("The length of a clientDataHash") struct ClientDataHashTests {
    private static let app = AttestationForge.app
    private static let hash = Array(SHA256.hash(data: Array("client data".utf8)))
    /// Extensions that a policy may ask for, and that somebody may want to be without.
    private static let extensions = CBORValue(["apple_validation_category_01": .bytes([3, 0, 0, 0])]).encode()

    private let key = P256.Signing.PrivateKey()

    /// Authenticator data without extensions.
    private static let data = app.rpIDHash + [0x40, 0, 0, 0, 1]

    private func signature(over bytes: [UInt8]) throws -> [UInt8] {
        Array(try key.signature(for: Array(SHA256.hash(data: bytes))).derRepresentation)
    }

    /// What an assertion is refused with, first as a whole, then taken apart; `nil` where it is accepted.
    private func codes(
        _ signature: [UInt8], _ data: [UInt8], _ clientDataHash: [UInt8], bytes: Int = 32
    ) throws -> [AppAttest.AssertionError.Code?] {
        let key = try AssertionKey(x963: Array(key.publicKey.x963Representation))
        let verifier = AssertionVerifier(limits: .init(clientDataHashBytes: bytes))
        let assertion = CBORValue(["signature": .bytes(signature), "authenticatorData": .bytes(data)]).encode()
        let signed = SignedAssertion(try verifier.parse(assertion), clientDataHash: clientDataHash, publicKey: key)
        return [
            Self.code { () throws(AppAttest.AssertionError) in
                try verifier.verify(assertion, clientDataHash: clientDataHash, publicKey: key, appID: Self.app)
            },
            Self.code { () throws(AppAttest.AssertionError) in try verifier.verify(signed, appID: Self.app) },
        ]
    }

    private static func code(
        _ verify: () throws(AppAttest.AssertionError) -> VerifiedAssertion
    ) -> AppAttest.AssertionError.Code? {
        do throws(AppAttest.AssertionError) {
            _ = try verify()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `an assertion's signature is good for one reading, not for one without its extensions`() throws {
        let whole = Self.data + Self.extensions
        let signature = try signature(over: whole + Self.hash)
        #expect(try codes(signature, whole, Self.hash) == [nil, nil])
        let moved = Self.extensions + Self.hash
        #expect(try codes(signature, Self.data, moved) == [.clientDataHashLength, .clientDataHashLength])
        #expect(try codes(signature, Self.data, moved, bytes: moved.count) == [nil, nil], "the length was asked for")
        #expect(try codes(signature, whole, Self.hash, bytes: moved.count).allSatisfy { $0 == .clientDataHashLength })
    }

    @Test func `an assertion's client data are not read as extensions`() throws {
        let signed: [UInt8] = [0xA0, 0] + Array("amount=1".utf8)
        let signature = try signature(over: Self.data + signed)
        let rest = Array(signed.dropFirst())
        #expect(try codes(signature, Self.data, signed).allSatisfy { $0 == .clientDataHashLength })
        #expect(try codes(signature, Self.data + [0xA0], rest).allSatisfy { $0 == .clientDataHashLength })
        #expect(try codes(signature, Self.data, signed, bytes: signed.count) == [nil, nil])
        let shorter = try codes(signature, Self.data + [0xA0], rest, bytes: signed.count)
        #expect(shorter.allSatisfy { $0 == .clientDataHashLength }, "of one length there is one reading")
    }

    @Test(arguments: [0, 1, 31, 33, 64])
    func `client data that were not hashed are told from a wrong signature`(_ count: Int) throws {
        let hash = [UInt8](repeating: 1, count: count)
        #expect(try codes([], Self.data, hash).allSatisfy { $0 == .clientDataHashLength })
        #expect(AppAttest.AssertionError.Code.clientDataHashLength.step == 3)
    }

    @Test func `an attestation's nonce is good for one reading, not for one without its extensions`() throws {
        var forge = AttestationForge()
        forge.tail = Self.extensions
        let hash = forge.challengeHash
        #expect(try forge.verify().extensions?.validationCategory == 3)
        forge.encode = { format, statement, data in
            let short = Array((data.bytes ?? []).dropLast(Self.extensions.count))
            return CBORValue(["fmt": format, "attStmt": statement, "authData": .bytes(short)]).encode()
        }
        let attestation = try forge.attestation()
        let moved = Self.extensions + hash
        func verify(bytes: Int) throws -> VerifiedAttestation {
            let policy = AttestationPolicy(
                appIDs: [Self.app], roots: [try forge.trustRoot()], limits: .init(clientDataHashBytes: bytes))
            return try AttestationVerifier(policy: policy).verify(
                attestation: attestation, keyID: forge.keyID, clientDataHash: moved, at: AttestationForge.moment)
        }
        let error = #expect(throws: AttestationError.self) { try verify(bytes: 32) }
        #expect(error?.code == .clientDataHashLength && error?.step == 8)
        #expect(try verify(bytes: moved.count).extensions == nil, "the length was asked for")
    }
}
