import CBOR
import Crypto
import Foundation
import MultiBufferP256
import Testing

@testable import AppAttest

/// Proving many at once comes to the same as verifying one after the other.
@Suite struct SignedAssertionTests {
    private static func prove(_ signed: [SignedAssertion]) throws -> [SignedAssertion] {
        guard let prover = SignatureProver.shared else { try Test.cancel("this processor has no AVX-512 IFMA") }
        var signed = signed
        SignedAssertion.prove(&signed, by: prover)
        return signed
    }

    private struct Real {
        let name: String
        let app: AppID
        let counter: UInt32?
        let signed: SignedAssertion
    }

    private static func real() throws -> [Real] {
        try (VectorFile.names("20") + VectorFile.names("assertion-only")).flatMap { name in
            let file = try VectorFile.read(name)
            let key = try AssertionKey(x963: Array(try #require(file.publicKeyX963)))
            return try (file.assertions ?? []).map { item in
                Real(
                    name: name, app: try file.app, counter: item.counter,
                    signed: SignedAssertion(
                        try AssertionVerifier().parse(Array(item.assertion)),
                        clientDataHash: Array(try #require(item.clientDataHash)), publicKey: key))
            }
        }
    }

    @Test func `real assertions verify when they are proven together`() throws {
        let real = try Self.real()
        try #require(real.count >= 2 * SignatureProver.lanes)
        for (one, proven) in zip(real, try Self.prove(real.map(\.signed))) {
            #expect(proven.isProven, "\(one.name)")
            #expect(try AssertionVerifier().verify(proven, appID: one.app).counter == one.counter, "\(one.name)")
        }
    }

    @Test func `a forged one among them fails, and nothing else does`() throws {
        let real = try Self.real()
        try #require(real.count >= 2 * SignatureProver.lanes)
        func refusal(_ proven: SignedAssertion, _ app: AppID) -> AppAttest.AssertionError.Code? {
            do throws(AppAttest.AssertionError) {
                _ = try AssertionVerifier().verify(proven, appID: app)
                return nil
            } catch {
                return error.code
            }
        }
        for place in real.indices {
            var signed = real.map(\.signed)
            // What another device signed, or what this one signed with other client data.
            let other = real[(place + 1) % real.count].signed
            let nobodys = [UInt8](repeating: 0, count: 32)
            signed[place] = SignedAssertion(
                real[place].signed.assertion,
                clientDataHash: place.isMultiple(of: 2) ? other.clientDataHash : nobodys, publicKey: other.key)
            for (index, proven) in try Self.prove(signed).enumerated() {
                let code: AppAttest.AssertionError.Code? = index == place ? .signatureInvalid : nil
                #expect(refusal(proven, real[index].app) == code, "\(real[index].name)")
            }
        }
    }

    /// Ed25519 keys, which no lane knows, and what is no signature at all.
    @Test func `what cannot be proven is verified by itself`() throws {
        let real = try Self.real()
        let first = try #require(real.first)
        let object = first.signed.assertion
        let ed25519 = Curve25519.Signing.PrivateKey()
        let nonce = SHA256.hash(data: object.authenticatorData + first.signed.clientDataHash)
        let by = { (key: AssertionKey, signature: [UInt8]) in
            let bytes = CBORValue([
                "signature": .bytes(signature), "authenticatorData": .bytes(object.authenticatorData),
            ]).encode()
            return SignedAssertion(
                try AssertionVerifier().parse(bytes), clientDataHash: first.signed.clientDataHash, publicKey: key)
        }
        let key = first.signed.key
        let signed = [
            try by(
                AssertionKey(ed25519: Array(ed25519.publicKey.rawRepresentation)),
                Array(try ed25519.signature(for: Data(nonce)))),
            try by(key, [1, 2, 3]), try by(key, []), try by(key, object.signature + [0]),
        ]
        let proven = try Self.prove(signed + real.map(\.signed))
        #expect(proven.map(\.isProven) == signed.map { _ in false } + real.map { _ in true })
        let verdicts = proven.prefix(signed.count).map {
            (try? AssertionVerifier().verify($0, appID: first.app)) != nil
        }
        #expect(verdicts == [true, false, false, false])
    }

    @Test func `too few assertions for the lanes are left to be verified one by one`() throws {
        let real = try Self.real()
        let few = try Self.prove(Array(real.map(\.signed).prefix(SignatureProver.claimsWorthwhile - 1)))
        #expect(few.filter(\.isProven).isEmpty)
        for (one, signed) in zip(real, few) {
            #expect(try AssertionVerifier().verify(signed, appID: one.app).counter == one.counter)
        }
    }
}
