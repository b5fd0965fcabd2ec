import AppAttest
import CaptureModel
import DeviceSimulator
import Foundation
import Testing

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

    /// A receipt tells its times to the millisecond, and whoever asks may name the very same ones.
    @Test(arguments: ["001", "153", "333", "546", "709", "999"])
    func `receipts are good to their last moment, whatever its fraction of a second`(_ fraction: String) throws {
        let times = (created: "2026-09-21T14:13:20.\(fraction)Z", end: "2026-12-20T14:13:20.\(fraction)Z")
        var content = fixture.content
        content[12] = Array(times.created.utf8)
        content[21] = Array(times.end.utf8)
        let receipt = try fixture.issuer.sign(content)
        let created = try #require(Timestamp(rfc3339: times.created)), end = try #require(Timestamp(rfc3339: times.end))
        func code(at moment: Timestamp, ageMax: Duration?) throws -> ReceiptError.Code? {
            try fixture.code(receipt, at: moment.date) { $0.ageMax = ageMax }
        }
        let late = Duration.milliseconds(1)
        #expect(try code(at: created.advanced(by: .seconds(300)), ageMax: .seconds(300)) == nil)
        #expect(try code(at: created.advanced(by: .seconds(300) + late), ageMax: .seconds(300)) == .stale)
        #expect(try code(at: created.advanced(by: .seconds(-300)), ageMax: nil) == nil)
        #expect(try code(at: created.advanced(by: .seconds(-300) - late), ageMax: nil) == .createdLater)
        #expect(try code(at: end, ageMax: nil) == nil)
        #expect(try code(at: end.advanced(by: late), ageMax: nil) == .expired)
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
