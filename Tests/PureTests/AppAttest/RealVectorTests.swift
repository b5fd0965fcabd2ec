import AppAttest
import Foundation
import TestSupport
import Testing

@Suite struct `Real vectors` {
    @Test func `the vectors are there`() {
        #expect(
            Vectors.areAvailable,
            "NO TEST VECTORS at \(Vectors.directory.path): set CAPTURE_VECTORS_DIR; verification is untested without them"
        )
        #expect(VectorFile.names("20").count >= 40)
        #expect(VectorCase.all("cases_real.json", "attestation").count >= 29)
        #expect(VectorCase.all("cases_synthetic.json", "attestation").count >= 44)
    }

    @Test func `every file of the index is there, with as many assertions as it says`() throws {
        let entries = try VectorIndex.read().vectors
        let names = ["20", "assertion-only", "receipt-only"].flatMap { VectorFile.names($0) }
        #expect(names == entries.map(\.file).sorted())
        var assertions = 0
        for entry in entries {
            let found = try VectorFile.read(entry.file).assertions?.count ?? 0
            #expect(found == entry.assertions, "\(entry.file)")
            assertions += found
        }
        #expect(assertions >= 21)
        let withAssertions = entries.filter { $0.assertions > 0 }.map(\.file)
        #expect(VectorFile.namesWithAssertions == withAssertions.sorted())
    }

    @Test(arguments: VectorFile.names("20"))
    func `a real attestation verifies at its time`(_ name: String) throws {
        let file = try VectorFile.read(name)
        // Some challenges were never published; the rest of the verification cannot be reached without.
        guard let clientDataHash = file.clientDataHash else { return try checkWithoutChallenge(file) }
        let verified = try verifier(file).verify(
            attestation: Array(try #require(file.attestation)), keyID: Array(try #require(file.keyId)),
            clientDataHash: Array(clientDataHash), at: VectorFile.moment(file.validAt))
        #expect(verified.publicKey == Array(try #require(file.publicKeyX963)))
        #expect(verified.keyID == Array(try #require(file.keyId)))
        #expect(verified.appID.text == file.appId)
        #expect(verified.environment.rawValue == file.environment)
        #expect(verified.counter == 0)
        #expect(verified.trustRoot == .appleAppAttestation)
        #expect(verified.certificateChain.count == 2)
        #expect(!verified.receipt.isEmpty)
        #expect(verified.leafNotBefore == (try VectorFile.moment(file.leafNotBefore)))
        #expect(verified.leafNotAfter == (try VectorFile.moment(file.leafNotAfter)))
        let version = try #require(file.osVersion)
        #expect(verified.osVersion == (version.isEmpty ? nil : version), "an empty version names none")
        let peeked = UnverifiedAttestation.publicKey(in: Array(try #require(file.attestation)), keyID: verified.keyID)
        #expect(peeked == verified.publicKey)
    }

    /// Dates that are no numbers come from a header, a database's float or 0/0.
    @Test(arguments: [Double.nan, .infinity, -.infinity], VectorFile.names("2026-04-20_ios27"))
    func `a real attestation does not verify at a moment that is not finite`(_ seconds: Double, _ name: String) throws {
        let file = try VectorFile.read(name)
        let error = #expect(throws: AttestationError.self) {
            try verifier(file).verify(
                attestation: Array(try #require(file.attestation)), keyID: Array(try #require(file.keyId)),
                clientDataHash: Array(try #require(file.clientDataHash)), at: Date(timeIntervalSince1970: seconds))
        }
        #expect(error?.code == .leafNotYetValid)
    }

    @Test func `only Apple's samples have a challenge in place of a SHA-256, and by default they are refused`() throws {
        let names = try VectorFile.names("20").filter { name in
            try VectorFile.read(name).clientDataHash.map { $0.count != 32 } ?? false
        }
        #expect(names.map { $0.prefix(10) } == ["2024-04-17", "2026-04-20"])
        for name in names {
            let file = try VectorFile.read(name)
            var policy = try file.policy()
            policy.limits = AttestationPolicy.Limits()
            let error = #expect(throws: AttestationError.self) {
                try AttestationVerifier(policy: policy).verify(
                    attestation: Array(try #require(file.attestation)), keyID: Array(try #require(file.keyId)),
                    clientDataHash: Array(try #require(file.clientDataHash)), at: VectorFile.moment(file.validAt))
            }
            #expect(error?.code == .clientDataHashLength && error?.step == 8)
        }
    }

    private func verifier(_ file: VectorFile) throws -> AttestationVerifier {
        AttestationVerifier(policy: try file.policy())
    }

    private func checkWithoutChallenge(_ file: VectorFile) throws {
        let error = #expect(throws: AttestationError.self) {
            try verifier(file).verify(
                attestation: Array(try #require(file.attestation)), keyID: Array(try #require(file.keyId)),
                clientDataHash: [UInt8](repeating: 0, count: 32), at: VectorFile.moment(file.validAt))
        }
        #expect(error?.code == .nonceMismatch)
    }

    @Test(arguments: VectorFile.namesWithAssertions)
    func `a real assertion verifies with its key`(_ name: String) throws {
        let file = try VectorFile.read(name)
        let app = try file.app
        let key = try AssertionKey(x963: Array(try #require(file.publicKeyX963)))
        let verifier = AssertionVerifier()
        for item in try #require(file.assertions) {
            let hash = Array(try #require(item.clientDataHash))
            let verified = try verifier.verify(Array(item.assertion), clientDataHash: hash, publicKey: key, appID: app)
            #expect(verified.counter == item.counter)
            let previous = try #require(item.previousCounter)
            #expect(throws: Never.self) { try verified.requireCounter(above: previous) }
            let parsed = try verifier.parse(Array(item.assertion))
            #expect(parsed.counter == item.counter && parsed.rpIDHash == app.rpIDHash)
            let signed = SignedAssertion(parsed, clientDataHash: hash, publicKey: key)
            let again = try verifier.verify(signed, appID: app)
            #expect(again.counter == item.counter)
        }
    }

    @Test func `assertions without known client data parse`() throws {
        let items = try #require(try VectorFile.read("unresolved_assertions.json").items)
        #expect(!items.isEmpty)
        for item in items {
            // One of them is text in place of authenticator data: behind 37 bytes a CBOR text, and more.
            guard let counter = item.counter else {
                let error = #expect(throws: AppAttest.AssertionError.self) {
                    try AssertionVerifier().parse(Array(item.assertion))
                }
                #expect(error?.code == .extensionsTrailingBytes)
                continue
            }
            #expect(try AssertionVerifier().parse(Array(item.assertion)).counter == counter)
        }
    }

    @Test func `iOS 27 says how the app was distributed, whatever the ED flag says`() throws {
        let file = try VectorFile.read(try #require(VectorFile.names("2026-04-20_ios27").first))
        let verified = try verifier(file).verify(
            attestation: Array(try #require(file.attestation)), keyID: Array(try #require(file.keyId)),
            clientDataHash: Array(try #require(file.clientDataHash)), at: VectorFile.moment(file.validAt))
        // As the file's `authData.extensions` says.
        #expect(verified.extensions?.validationCategory == 1)
        #expect(verified.extensions?.bundleVersion == "1")
    }

    @Test func `the embedded root is Apple's`() throws {
        struct Index: Decodable {
            struct Root: Decodable { var file, sha256: String }
            var roots: [Root]
        }
        let index = try JSONDecoder().decode(Index.self, from: Vectors.data("index.json"))
        let root = try #require(index.roots.first { $0.file.hasSuffix("Apple_App_Attestation_Root_CA.pem") })
        #expect(TrustRoot.appleAppAttestation.sha256 == root.sha256)
        #expect(TrustRoot.appleAppAttestation.name == "Apple App Attestation Root CA")
        let pem = String(decoding: try Vectors.data(root.file), as: UTF8.self)
        #expect(try TrustRoot(pem: pem) == .appleAppAttestation)
    }
}
