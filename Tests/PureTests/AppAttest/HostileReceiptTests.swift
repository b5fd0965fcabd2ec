import AppAttest
import CaptureModel
import DeviceSimulator
import Foundation
import Testing
import X509

@Suite struct `Receipts of a test authority` {
    private let fixture: ReceiptFixture

    init() throws { fixture = try ReceiptFixture() }

    @Test(arguments: ReceiptForm.allCases)
    func `receipts verify in every form`(_ form: ReceiptForm) throws {
        let receipt = try fixture.issuer.sign(fixture.content, form: form)
        let verified = try ReceiptVerifier(policy: fixture.policy()).verify(
            receipt, fixture.expectation, at: ReceiptFixture.moment)
        #expect(verified.type == .attestation && verified.environment == .production)
        #expect(verified.appID == ReceiptFixture.app && verified.publicKey == fixture.device.publicKey)
        #expect(verified.riskMetric == nil && verified.notBefore == nil && verified.isBoundToAttestation)
        #expect(verified.createdAt == ReceiptFixture.moment)
        #expect(verified.expiresAt == ReceiptFixture.moment.addingTimeInterval(90 * 86_400))
        #expect(verified.signer.hasPrefix("TEST ONLY"))
        #expect(verified.trustRoot.name.hasPrefix("TEST ONLY"))
    }

    @Test(arguments: ReceiptFlaw.allCases)
    func `receipts with a flaw are rejected for it`(_ flaw: ReceiptFlaw) throws {
        let receipt = try fixture.issuer.sign(fixture.content, flaw: flaw)
        #expect(try fixture.code(receipt) == flaw.code)
        // Signed attributes do not change what is checked before them, nor what is wrong with the rest.
        for form in [ReceiptForm.early, .attributesSigned] {
            #expect(try fixture.code(fixture.issuer.sign(fixture.content, form: form, flaw: flaw)) == flaw.code)
        }
    }

    @Test func `receipts are renewed with a risk metric for the same key`() throws {
        let receipt = try fixture.issuer.sign(fixture.content)
        let later = ReceiptFixture.moment.addingTimeInterval(86_400)
        let verifier = ReceiptVerifier(policy: try fixture.policy())
        let first = try verifier.verify(receipt, fixture.expectation, at: ReceiptFixture.moment)
        var expectation = fixture.expectation
        expectation.type = .renewal
        expectation.token = first.token
        for (round, metric) in [0, 1, 15, 999_999_999].enumerated() {
            let moment = later.addingTimeInterval(Double(round))
            let renewed = try verifier.verify(
                fixture.issuer.renew(receipt, riskMetric: metric, at: moment), expectation, at: moment)
            #expect(renewed.riskMetric == metric && renewed.type == .renewal && renewed.token == first.token)
            #expect(renewed.notBefore == moment.addingTimeInterval(86_400))
            #expect(!renewed.isBoundToAttestation)
        }
        let again = try fixture.issuer.renew(
            fixture.issuer.renew(receipt, riskMetric: 1, at: later), riskMetric: 2, at: later)
        #expect(try verifier.verify(again, expectation, at: later).riskMetric == 2)
        #expect(throws: SimulatorError(.receipt, "")) { try fixture.issuer.renew([1, 2], riskMetric: 1, at: later) }
    }

    @Test func `receipts stand inside of attestations, and are verified with them if the policy says so`() throws {
        func attestation(_ receipts: TestReceiptIssuer?, _ flaw: AttestationFlaw? = nil) throws -> [UInt8] {
            try fixture.device.attest(
                clientDataHash: ReceiptFixture.hash, authority: fixture.authority, at: ReceiptFixture.moment,
                flaw: flaw,
                receipts: receipts)
        }
        func verify(_ attestation: [UInt8], _ change: (inout AttestationPolicy) -> Void = { _ in }) throws
            -> VerifiedAttestation
        {
            var policy = AttestationPolicy(
                appIDs: [ReceiptFixture.app], roots: [try TrustRoot(pem: fixture.authority.rootPEM)],
                receipts: try fixture.policy())
            change(&policy)
            return try AttestationVerifier(policy: policy).verify(
                attestation: attestation, keyID: fixture.device.keyID.bytes, clientDataHash: ReceiptFixture.hash,
                at: ReceiptFixture.moment)
        }
        let verified = try verify(attestation(fixture.issuer))
        #expect(verified.verifiedReceipt?.isBoundToAttestation == true)
        #expect(try fixture.code(verified.receipt) == nil)
        let stranger = try TestReceiptIssuer(
            authority: TestCertificateAuthority(at: ReceiptFixture.moment), at: ReceiptFixture.moment)
        for (receipts, code) in [(nil, .malformed), (stranger, .rootUntrusted)]
            as [(TestReceiptIssuer?, ReceiptError.Code)]
        {
            let bytes = try attestation(receipts)
            let error = #expect(throws: AttestationError.self) { try verify(bytes) }
            #expect(error?.code == .receiptRejected && error?.step == 17 && error?.receipt?.code == code)
            #expect(try verify(bytes) { $0.receipts = nil }.verifiedReceipt == nil)
        }
        let without = try verify(attestation(nil, .receiptMissing)) { $0.requireReceipt = false }
        #expect(without.receipt.isEmpty && without.verifiedReceipt == nil)
    }

    @Test func `receipts of another attestation of the same key are told apart`() throws {
        var expectation = fixture.expectation
        expectation.clientDataHash = Array(ReceiptFixture.hash.reversed())
        let (receipt, verifier) = (
            try fixture.issuer.sign(fixture.content), ReceiptVerifier(policy: try fixture.policy())
        )
        let error = #expect(throws: ReceiptError.self) {
            try verifier.verify(receipt, expectation, at: ReceiptFixture.moment)
        }
        #expect(error?.code == .clientDataHashMismatch && error?.step == 10)
        expectation.clientDataHash = nil
        #expect(try !verifier.verify(receipt, expectation, at: ReceiptFixture.moment).isBoundToAttestation)
    }

    @Test func `receipts are refused beyond each limit`() throws {
        let receipt = try fixture.issuer.sign(fixture.content)
        #expect(try fixture.code(receipt) { $0.limits.receiptBytesMax = receipt.count } == nil)
        #expect(try fixture.code(receipt) { $0.limits.receiptBytesMax = receipt.count - 1 } == .tooLarge)
        #expect(try fixture.code(receipt) { $0.limits.depthMax = 6 } == nil)
        #expect(try fixture.code(receipt) { $0.limits.depthMax = 5 } == .malformed)
        #expect(try fixture.code(receipt) { $0.limits.elementsMax = 3 } == .malformed)
        #expect(try fixture.code(receipt) { $0.limits.certificatesMax = 3 } == nil)
        #expect(try fixture.code(receipt) { $0.limits.certificatesMax = 2 } == .malformed)
        #expect(try fixture.code(receipt) { $0.limits.authoritiesMax = 0 } == .chainTooLong)
        let nested = Array(repeating: [UInt8]([0x30, 0x80]), count: 8000).flatMap(\.self)
        #expect(try fixture.code(nested) == .malformed)
        #expect(try fixture.code([]) == .malformed)
    }

    @Test func `receipts of another authority are rejected, with and without its root`() throws {
        for name in ["App Attestation", "Stranger"] {
            let stranger = try TestCertificateAuthority(name: name, at: ReceiptFixture.moment)
            let receipt = try TestReceiptIssuer(authority: stranger, at: ReceiptFixture.moment).sign(fixture.content)
            #expect(try fixture.code(receipt) == .rootUntrusted)
            #expect(try fixture.code(receipt) { $0.roots = [] } == .rootUntrusted)
        }
    }

    @Test func `receipts are good at the moment they were received, and for their time`() throws {
        let receipt = try fixture.issuer.sign(fixture.content)
        let moment = ReceiptFixture.moment
        func code(after seconds: TimeInterval, ageMax: Duration? = .seconds(300)) throws -> ReceiptError.Code? {
            try fixture.code(receipt, at: moment.addingTimeInterval(seconds)) { $0.ageMax = ageMax }
        }
        #expect(try code(after: 300) == nil)
        #expect(try code(after: 300.5) == .stale)
        #expect(try code(after: 300.5, ageMax: nil) == nil)
        #expect(try code(after: 90 * 86_400, ageMax: nil) == nil)
        #expect(try code(after: 90 * 86_400 + 1, ageMax: nil) == .expired)
        #expect(try code(after: -300) == nil)
        #expect(try code(after: -301) == .createdLater)
        #expect(try code(after: -2 * 86_400) == .chainNotYetValid)
        #expect(try code(after: 396 * 86_400, ageMax: nil) == .chainExpired)
    }
}

@Suite struct `Contents of receipts` {
    private let fixture: ReceiptFixture

    init() throws { fixture = try ReceiptFixture() }

    @Test(arguments: [2, 3, 5, 6, 12, 21] as [UInt8])
    func `contents of receipts lack no field that each receipt has`(_ number: UInt8) throws {
        #expect(try fixture.code { $0[number] = nil } == .fieldMissing)
        #expect(try fixture.code { $0.fields.append($0.fields[0]) } == .payloadMalformed)
    }

    @Test func `contents of receipts belong to app, key, attestation, type and environment`() throws {
        let other = SimulatedDevice(appID: ReceiptFixture.app.text)
        let otherContent = try other.receiptContent(
            clientDataHash: ReceiptFixture.hash, authority: fixture.authority, at: ReceiptFixture.moment)
        #expect(try fixture.code { $0[2]?.append(0x61) } == .appIDMismatch)
        #expect(try fixture.code { $0[3] = otherContent[3] } == .publicKeyMismatch)
        #expect(try fixture.code { $0[4]?[0] ^= 1 } == .clientDataHashMismatch)
        #expect(try fixture.code { $0[4] = nil } == .clientDataHashMismatch)
        #expect(try fixture.code { $0[6] = Array("attest".utf8) } == .typeMismatch)
        #expect(try fixture.code { $0[7] = Array("sandbox".utf8) } == .environmentMismatch)
    }

    /// Apple documents no field 7, and may leave it out.
    @Test func `contents of receipts may name no environment`() throws {
        let verifier = ReceiptVerifier(policy: try fixture.policy())
        var content = fixture.content
        content[7] = nil
        let receipt = try fixture.issuer.sign(content)
        for environment in [nil, .production, .development] as [AttestEnvironment?] {
            var expectation = fixture.expectation
            expectation.environment = environment
            #expect(try verifier.verify(receipt, expectation, at: ReceiptFixture.moment).environment == nil)
        }
    }

    @Test func `contents of receipts have fields in any order, and others`() throws {
        #expect(try fixture.code { $0.fields.reverse() } == nil)
        #expect(try fixture.code { $0.fields.append(.init(99, [1, 2, 3])) } == nil)
        var generator = SeededGenerator(seed: 1)
        let shuffled = try fixture.code { $0.fields.shuffle(using: &generator) }
        #expect(shuffled == nil)
    }

    @Test(
        arguments: [
            (3, ""), (3, "0"), (5, "\u{FF}"), (7, "staging"), (12, ""), (12, "2026-09-21"), (12, "2026-09-21T14:13:20"),
            (12, "2026-09-21T14:13:20.Z"), (12, "2026-02-30T14:13:20Z"), (12, "2026-13-01T14:13:20Z"),
            (12, "2026-09-21T24:13:20Z"), (12, "2026-09-21T14:13:20.1234567890Z"), (12, "2026-09-21 14:13:20.000Z"),
            (12, "2026-09-21T14:13:20+0000"), (12, "-026-09-21T14:13:20.000Z"), (21, "tomorrow"),
        ] as [(UInt8, String)])
    func `contents of receipts have values that can be read`(_ number: UInt8, _ text: String) throws {
        let value = text == "\u{FF}" ? [0xFF] : Array(text.utf8)
        #expect(try fixture.code { $0[number] = value } == .fieldMalformed)
    }

    @Test(arguments: ["", "-1", "1.5", "1 ", "0x1", "1000000000", "١"])
    func `contents of receipts have a risk metric that is a number`(_ text: String) throws {
        #expect(try fixture.code { $0[17] = Array(text.utf8) } == .fieldMalformed)
    }

    @Test(arguments: [
        "2026-09-21T14:13:20Z", "2026-09-21T14:13:20.0Z", "2026-09-21T14:13:20.00Z", "2026-09-21T14:13:20.000000000Z",
    ])
    func `contents of receipts have times with any number of digits`(_ text: String) throws {
        #expect(try fixture.code { $0[12] = Array(text.utf8) } == nil)
    }

    @Test func `contents of a renewed receipt have metric and next time`() throws {
        #expect(try fixture.code { $0[6] = Array("RECEIPT".utf8) } == .fieldMissing)
        #expect(
            try fixture.code {
                $0[6] = Array("RECEIPT".utf8)
                $0[17] = Array("3".utf8)
            } == .fieldMissing)
    }

    @Test(
        arguments: [
            [], [0x31, 0x00], [0x30, 0x00], [0x31, 0x80, 0x00, 0x00], [0x31, 0x00, 0x00], [0x31, 0x02, 0x30, 0x00],
            [0x31, 0x02, 0x05, 0x00], [0x31, 0x06, 0x30, 0x04, 0x02, 0x00, 0x02, 0x00],
            [0x31, 0x0D, 0x30, 0x0B, 0x02, 0x05, 1, 1, 1, 1, 1, 0x02, 0x00, 0x04, 0x00],
            [0x31, 0x0A, 0x30, 0x08, 0x02, 0x01, 2, 0x02, 0x00, 0x04, 0x00, 0x00],
            [0x31, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]])
    func `contents of receipts are a set of fields`(_ content: [UInt8]) throws {
        let code = try fixture.code(fixture.issuer.sign(content))
        let isEmptySet = content == [0x31, 0x00] || content == [0x31, 0x80, 0x00, 0x00]
        #expect(code == (isEmptySet ? .fieldMissing : .payloadMalformed))
    }
}

@Suite struct `Chains of receipts` {
    private let fixture: ReceiptFixture

    init() throws { fixture = try ReceiptFixture() }

    private func code(_ links: [ReceiptChainForge.Link], root: ReceiptChainForge.Link? = nil) throws
        -> ReceiptError.Code?
    {
        let forge = try ReceiptChainForge(links, root: root)
        let (receipt, trusted) = (try forge.issuer().sign(fixture.content), try forge.trustRoot())
        return try fixture.code(receipt) { $0.roots = [trusted] }
    }

    @Test func `chains of receipts may have no authority below the root, or a few`() throws {
        #expect(try code([.signer(issuer: "root")]) == nil)
        #expect(try code([.signer(issuer: "a"), .authority("a")]) == nil)
        #expect(try code([.signer(issuer: "a"), .authority("b"), .authority("a", issuer: "b")]) == nil)
        #expect(
            try code([
                .signer(issuer: "a"), .authority("a", issuer: "b"), .authority("b", issuer: "c"),
                .authority("c", issuer: "d"), .authority("d"),
            ]) == .chainTooLong)
    }

    @Test func `chains of receipts end at a root, and go round in no circle`() throws {
        #expect(try code([.signer(issuer: "a"), .authority("a", issuer: "b")]) == .chainIncomplete)
        #expect(
            try code([.signer(issuer: "a"), .authority("a", issuer: "b"), .authority("b", issuer: "a")])
                == .chainTooLong)
        #expect(try code([.signer(issuer: "signer")]) == .rootUntrusted)
        #expect(try code([.signer(issuer: "a"), .authority("a", issuer: "a")]) == .rootUntrusted)
    }

    @Test func `chains of receipts pass over authorities that only have the right name`() throws {
        let impostor = try ReceiptChainForge.Link.authority("a")
        let authority = try ReceiptChainForge.Link.authority("a")
        // The signer is signed by the first of the name; either order of the two must do.
        let signer = try ReceiptChainForge.Link.signer(issuer: "a")
        #expect(try code([signer, authority, impostor]) == nil)
    }

    @Test func `chains of receipts have authorities that are some`() throws {
        var bare = try ReceiptChainForge.Link.authority("a")
        bare.extensions.removeFirst()
        var critical = try ReceiptChainForge.Link.authority("a")
        critical.extensions.append(ReceiptChainForge.unknownCritical)
        var none = try ReceiptChainForge.Link.signer(issuer: "root", usage: KeyUsage(keyCertSign: true))
        none.name = "a"
        for (authority, expected) in [
            (bare, .authorityConstraintsMissing), (critical, .criticalExtensionUnknown), (none, .authorityNotAuthority),
            (try .authority("a", isCritical: false), .authorityNotAuthority),
            (try .authority("a", usage: KeyUsage(digitalSignature: true)), .authorityKeyUsage),
        ] as [(ReceiptChainForge.Link, ReceiptError.Code)] {
            #expect(try code([.signer(issuer: "a"), authority]) == expected)
        }
    }

    @Test func `chains of receipts are no longer than their authorities allow`() throws {
        func authorities(_ lower: Int?, _ upper: Int?) throws -> [ReceiptChainForge.Link] {
            [
                try .signer(issuer: "a"), try .authority("a", issuer: "b", pathLength: lower),
                try .authority("b", pathLength: upper),
            ]
        }
        #expect(try code(authorities(0, 1)) == nil)
        #expect(try code(authorities(0, 0)) == .chainTooLong)
        #expect(
            try code([.signer(issuer: "a"), .authority("a")], root: .authority("root", pathLength: 0)) == .chainTooLong)
        #expect(try code([.signer(issuer: "root")], root: .authority("root", pathLength: 0)) == nil)
        #expect(try code(authorities(0, 1), root: .authority("root", pathLength: 1)) == .chainTooLong)
        #expect(try code(authorities(0, 1), root: .authority("root", pathLength: 2)) == nil)
        #expect(
            try code([.signer(issuer: "a"), .authority("a")], root: .authority("root", pathLength: 1)) == nil)
    }

    /// Under the operator's own root as under Apple's: there stand the certificates of attested keys, too.
    @Test func `chains of receipts begin with a signer that was made for receipts`() throws {
        for issuer in ["root", "a"] {
            var plain = try ReceiptChainForge.Link.signer(issuer: issuer)
            let authorities = try issuer == "a" ? [ReceiptChainForge.Link.authority("a")] : []
            #expect(try code([plain] + authorities) == nil)
            plain.extensions.removeLast()
            #expect(try code([plain] + authorities) == .signerPurpose)
        }
    }

    @Test func `chains of receipts begin with a signer that is one`() throws {
        var critical = try ReceiptChainForge.Link.signer(issuer: "root")
        critical.extensions.append(ReceiptChainForge.unknownCritical)
        var authority = try ReceiptChainForge.Link.authority("signer")
        #expect(try code([critical]) == .criticalExtensionUnknown)
        #expect(try code([authority]) == .signerIsAuthority)
        authority.extensions.removeFirst()
        #expect(try code([authority]) == .signerIsAuthority)
        #expect(
            try code([.signer(issuer: "root", usage: KeyUsage(nonRepudiation: true))]) == .signerKeyUsage)
    }
}

extension ReceiptFlaw {
    /// What a verifier must say to it.
    var code: ReceiptError.Code {
        switch self {
        case .trailingByte, .truncated, .otherContentType, .contentMissing, .contentNested, .certificatesMany:
            .malformed
        case .notSignedData: .notSignedData
        case .certificateMalformed: .certificateMalformed
        case .signerMissing, .signerTwice: .signerCount
        case .signerCertificateMissing, .signerCertificateTwice, .otherSerialNumber: .signerCertificateMissing
        case .otherDigest, .otherAlgorithm: .algorithmUnsupported
        case .signature, .contentEdited: .signatureInvalid
        case .intermediateMissing: .chainIncomplete
        case .signerCertificateSignature: .chainSignatureInvalid
        }
    }
}
