import AppAttest
import Foundation
import TestSupport
import Testing

@Suite struct `Vector cases` {
    /// The targets of each set for which there is a test, here or with the receipts.
    private static let tested = [
        "cases_real.json": ["attestation", "assertion", "receipt"],
        "cases_synthetic.json": ["attestation", "assertion"],
    ]

    @Test func `every case of every set is tested`() throws {
        #expect(try VectorIndex.read().caseSets.sorted() == Self.tested.keys.sorted())
        for (file, targets) in Self.tested {
            let cases = try #require(try VectorFile.read(file).cases)
            let tested = targets.map { VectorCase.all(file, $0).count }
            #expect(!tested.contains(0) && tested.reduce(0, +) == cases.count, "\(file): \(tested)")
        }
    }

    @Test(arguments: VectorCase.all("cases_real.json", "attestation"))
    func `a mutated real attestation gets the expected reason`(_ item: VectorCase) throws {
        try check(attestation: item, root: .appleAppAttestation)
    }

    @Test(arguments: VectorCase.all("cases_synthetic.json", "attestation"))
    func `a synthetic attestation gets the expected reason`(_ item: VectorCase) throws {
        let pem = String(decoding: try Vectors.data("roots/TEST_ONLY_root.pem"), as: UTF8.self)
        try check(attestation: item, root: TrustRoot(pem: pem))
    }

    @Test(
        arguments: VectorCase.all("cases_real.json", "assertion") + VectorCase.all("cases_synthetic.json", "assertion"))
    func `an assertion case gets the expected reason`(_ item: VectorCase) throws {
        let app = try item.app
        let key = try AssertionKey(x963: Array(try #require(item.publicKeyX963)))
        let verdict: String?
        do throws(AssertionError) {
            let verified = try AssertionVerifier().verify(
                Array(item.assertion ?? Data()), clientDataHash: Array(item.clientDataHash ?? Data()), publicKey: key,
                appID: app)
            try verified.requireCounter(above: item.previousCounter ?? 0)
            verdict = "valid"
        } catch {
            verdict = error.code.vectorCode
        }
        #expect(verdict == item.expected)
    }

    private func check(attestation item: VectorCase, root: TrustRoot, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let app = try item.app
        let environment = try #require(
            item.environment.flatMap(AttestEnvironment.init(rawValue:)), sourceLocation: sourceLocation)
        let policy = AttestationPolicy(appIDs: [app], environments: [environment], roots: [root])
        let verifier = AttestationVerifier(policy: policy)
        let moment = try VectorFile.moment(item.validAt)
        // Twice: the second time the intermediate comes from the cache, and the verdict must not change.
        for _ in 0..<2 {
            let verdict: String?
            do throws(AttestationError) {
                _ = try verifier.verify(
                    attestation: Array(item.attestation ?? Data()), keyID: Array(item.keyId ?? Data()),
                    clientDataHash: Array(item.clientDataHash ?? Data()), at: moment)
                verdict = "valid"
            } catch {
                verdict = error.code.vectorCode
            }
            #expect(verdict == item.expected, sourceLocation: sourceLocation)
        }
    }

    @Test func `every code of the independent verifier has a counterpart`() {
        let attestation = Set(AttestationError.Code.allCases.compactMap(\.vectorCode))
        let assertion = Set(AssertionError.Code.allCases.compactMap(\.vectorCode))
        #expect(attestation == Self.attestationCodes)
        #expect(assertion == Self.assertionCodes)
        for item in VectorCase.all("cases_synthetic.json", "attestation")
            + VectorCase.all("cases_real.json", "attestation")
        {
            #expect(item.expected == "valid" || attestation.contains(item.expected ?? ""))
        }
    }

    private static let extensionCodes: Set = [
        "authdata-short", "extensions-cbor", "extensions-trailing-bytes", "extensions-not-a-map",
        "ED-without-extensions",
    ]
    private static let attestationCodes: Set<String> = extensionCodes.union([
        "attestation-cbor", "attestation-trailing-bytes", "attestation-not-a-map", "fmt", "attestation-shape", "x5c",
        "receipt-missing", "x5c-certificate-der", "chain-leaf-issuer-name", "chain-leaf-signature",
        "chain-intermediate-issuer-name", "chain-intermediate-signature", "chain-intermediate-no-basic-constraints",
        "chain-intermediate-not-a-ca", "chain-intermediate-no-keyCertSign", "chain-leaf-is-ca", "leaf-not-yet-valid",
        "leaf-expired", "intermediate-not-yet-valid", "intermediate-expired", "root-not-yet-valid", "root-expired",
        "nonce-extension-missing", "nonce-extension-malformed", "nonce", "leaf-key-type", "key-id", "authdata-no-AT",
        "credential-id-length", "cose-cbor", "cose-key", "rp-id", "counter-not-zero", "aaguid-unknown",
        "aaguid-environment", "credential-id", "cose-key-mismatch",
    ])
    private static let assertionCodes: Set<String> = extensionCodes.union([
        "assertion-cbor", "assertion-trailing-bytes", "assertion-not-a-map", "assertion-shape", "signature", "rp-id",
        "counter",
    ])

    @Test func `every code is written in capitals, belongs to one check and explains itself`() {
        let codes =
            AttestationError.Code.allCases.map { ($0.rawValue, $0.explanation) }
            + AssertionError.Code.allCases.map { ($0.rawValue, $0.explanation) }
        for (code, explanation) in codes {
            #expect(code.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x41...0x5A).contains($0) })
            #expect(!explanation.isEmpty)
        }
        #expect(AttestationError.Code.allCases.filter { $0.step == nil } == [.rootMalformed])
    }
}
