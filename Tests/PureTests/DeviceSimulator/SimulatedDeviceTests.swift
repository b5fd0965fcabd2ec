import AppAttest
import CaptureModel
import DeviceSimulator
import Foundation
import Testing

private let moment = Date(timeIntervalSince1970: 1_790_000_000)
private let app = "ABCDE12345.com.example.capture"
private let hash = SHA256Digest.hash(Array("a challenge".utf8)).bytes

@Suite struct `Attestations of a simulated device` {
    private let authority: TestCertificateAuthority
    private let verifier: AttestationVerifier

    init() throws {
        authority = try TestCertificateAuthority(at: moment)
        let appID = try #require(AppID(app))
        verifier = AttestationVerifier(
            policy: AttestationPolicy(appIDs: [appID], roots: [try TrustRoot(pem: authority.rootPEM)])
        )
    }

    @Test(arguments: WireFormat.allCases)
    func `attestations verify in every wire format`(format: WireFormat) throws {
        let phone = SimulatedDevice(appID: app, format: format)
        let attestation = try phone.attest(clientDataHash: hash, authority: authority, at: moment)
        let verified = try verifier.verify(
            attestation: attestation, keyID: phone.keyID.bytes, clientDataHash: hash, at: moment
        )
        #expect(verified.publicKey == phone.publicKey && verified.keyID == phone.keyID.bytes)
        #expect(verified.counter == 0 && verified.environment == .production && verified.appID.text == app)
        #expect(verified.trustRoot.name == "TEST ONLY App Attestation Root CA")
        #expect(verified.osVersion == format.systemVersion)
        #expect(verified.extensions?.validationCategory == (format == .plain ? nil : 4))
        #expect(verified.extensions?.bundleVersion == (format == .plain ? nil : "1314"))
        #expect(verified.leafNotBefore == moment.addingTimeInterval(-86_400))
        #expect(verified.leafNotAfter == moment.addingTimeInterval(2 * 86_400))
    }

    @Test(arguments: AttestationFlaw.allCases, WireFormat.allCases)
    func `attestations with a flaw are rejected for it`(flaw: AttestationFlaw, format: WireFormat) throws {
        let phone = SimulatedDevice(appID: app, format: format)
        let attestation = try phone.attest(clientDataHash: hash, authority: authority, at: moment, flaw: flaw)
        let error = #expect(throws: AttestationError.self) {
            try verifier.verify(
                attestation: attestation, keyID: phone.keyID.bytes, clientDataHash: hash, at: moment
            )
        }
        #expect(error?.code == flaw.code)
    }

    @Test func `attestations of an authority that nobody named are rejected`() throws {
        let phone = SimulatedDevice(appID: app)
        let stranger = try TestCertificateAuthority(name: "Stranger", at: moment)
        for other in [stranger, try TestCertificateAuthority(at: moment)] {
            let attestation = try phone.attest(clientDataHash: hash, authority: other, at: moment)
            let error = #expect(throws: AttestationError.self) {
                try verifier.verify(
                    attestation: attestation, keyID: phone.keyID.bytes, clientDataHash: hash, at: moment
                )
            }
            #expect([.intermediateIssuerMismatch, .intermediateSignatureInvalid].contains(error?.code))
        }
    }

    @Test func `attestations of a development build name the other environment`() throws {
        let phone = SimulatedDevice(appID: app, environment: .development)
        let attestation = try phone.attest(clientDataHash: hash, authority: authority, at: moment)
        let error = #expect(throws: AttestationError.self) {
            try verifier.verify(
                attestation: attestation, keyID: phone.keyID.bytes, clientDataHash: hash, at: moment
            )
        }
        #expect(error?.code == .environmentMismatch)
    }
}

@Suite struct `Assertions of a simulated device` {
    @Test(arguments: WireFormat.allCases)
    func `assertions verify, each with the next counter`(format: WireFormat) throws {
        let phone = SimulatedDevice(appID: app, format: format)
        for counter in 1...3 as ClosedRange<UInt32> {
            let verified = try verify(phone.assertion(clientDataHash: hash), of: phone)
            #expect(verified.counter == counter)
            #expect(verified.extensions?.bundleVersion == (format == .plain ? nil : "1314"))
        }
        phone.skipCounters(2)
        #expect(try verify(phone.assertion(clientDataHash: hash), of: phone).counter == 6)
        #expect(try verify(phone.assertion(clientDataHash: hash, counter: .exactly(2)), of: phone).counter == 2)
        #expect(phone.lastCounter == 6)
    }

    @Test(arguments: AssertionFlaw.allCases, WireFormat.allCases)
    func `assertions with a flaw are rejected for it`(flaw: AssertionFlaw, format: WireFormat) throws {
        let phone = SimulatedDevice(appID: app, format: format)
        let assertion = try phone.assertion(clientDataHash: hash, flaw: flaw)
        let error = #expect(throws: AppAttest.AssertionError.self) { try verify(assertion, of: phone) }
        #expect(error?.code == flaw.code)
    }

    @Test func `assertions have a second form that verifies as well`() throws {
        let phone = SimulatedDevice(appID: app)
        let capture = SyntheticCapture(photo: [1], depthMap: [2], metadata: [])
        let signed = try CaptureSigner(device: phone).sign(capture)
        let mirrored = try signed.malleated()
        #expect(mirrored.assertion != signed.assertion)
        let clientDataHash = CaptureSigner.clientDataHash(of: capture, binding: .concatV1).bytes
        for assertion in [signed.assertion, mirrored.assertion] {
            #expect(try verify(assertion, of: phone, clientDataHash).counter == 1)
        }
        #expect(try mirrored.malleated() == signed)
    }

    @Test func `assertions cover captures and requests in the way the requirements say`() throws {
        let phone = SimulatedDevice(appID: app)
        let signer = CaptureSigner(device: phone, binding: .framedV2)
        let capture = SyntheticCapture(photo: [1], depthMap: [2], metadata: [3])
        let framed = Binding.framedV2Hash(photo: .hash([1]), depth: .hash([2]), metadata: .hash([3]))
        #expect(try verify(signer.sign(capture).assertion, of: phone, framed.bytes).counter == 1)

        let device = try #require(DeviceID("00000000-0000-4000-8000-000000000001"))
        let signed = try signer.sign(
            body: Array("{}".utf8), device: device, at: Timestamp(millisecondsSince1970: 1_790_000_000_123)
        )
        #expect(signed.timestamp == "1790000000123")
        let message = "1790000000123|44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        let digest = SHA256Digest.hash(Array(message.utf8)).bytes
        #expect(try verify(signed.assertion, of: phone, digest).counter == 2)
    }

    @discardableResult
    private func verify(
        _ assertion: [UInt8], of phone: SimulatedDevice, _ clientDataHash: [UInt8] = hash
    ) throws -> VerifiedAssertion {
        let appID = try #require(AppID(app))
        return try AssertionVerifier().verify(
            assertion, clientDataHash: clientDataHash,
            publicKey: AssertionKey(x963: phone.publicKey), appID: appID
        )
    }
}

extension AttestationFlaw {
    /// The check that has to bite.
    fileprivate var code: AttestationError.Code {
        switch self {
        case .format: .formatUnknown
        case .receiptMissing: .receiptMissing
        case .leafKeyOfOtherDevice: .keyIDMismatch
        case .otherClientDataHash: .nonceMismatch
        case .otherAppID: .rpIDMismatch
        case .counterNotZero: .counterNotZero
        case .otherEnvironment: .environmentMismatch
        }
    }
}

extension AssertionFlaw {
    /// The check that has to bite.
    fileprivate var code: AppAttest.AssertionError.Code {
        switch self {
        case .trailingByte: .assertionTrailingBytes
        case .truncated: .assertionMalformed
        case .authenticatorDataShort: .authenticatorDataShort
        case .authenticatorDataJunk: .extensionsMalformed
        case .keyOfOtherDevice, .counterEdited: .signatureInvalid
        case .otherAppID: .rpIDMismatch
        }
    }
}
