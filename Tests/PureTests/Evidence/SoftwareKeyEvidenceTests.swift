import CBOR
import CaptureModel
import Crypto
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

@Suite struct `Evidence of a software key` {
    /// The kind of key, and how it signs.
    struct Case: Sendable, CustomTestStringConvertible {
        let algorithm: Device.KeyAlgorithm
        let binding: Binding

        var testDescription: String { "\(algorithm), \(binding)" }

        var device: SoftwareDevice {
            switch algorithm {
            case .p256: SoftwareDevice(appID: EvidenceFixture.appID, key: .p256(P256.Signing.PrivateKey()))
            case .ed25519: SoftwareDevice(appID: EvidenceFixture.appID, key: .ed25519(Curve25519.Signing.PrivateKey()))
            }
        }
    }

    private static let cases = Device.KeyAlgorithm.allCases.flatMap { algorithm in
        Binding.allCases.map { Case(algorithm: algorithm, binding: $0) }
    }

    private func registration(_ algorithm: Device.KeyAlgorithm, _ publicKey: [UInt8], at now: Timestamp)
        -> DeviceRegistration
    {
        let device = Device.phone(.unverified(algorithm, publicKey: publicKey, reason: nil), registeredAt: now)
        return DeviceRegistration(device: device)
    }

    private func signed(_ device: SoftwareDevice, _ binding: Binding, _ fixture: EvidenceFixture) throws
        -> SignedCapture
    {
        let capture = try fixture.signed(binding).capture
        let hash = CaptureSigner.clientDataHash(of: capture, binding: binding)
        return SignedCapture(
            capture: capture, assertion: try device.assertion(clientDataHash: hash.bytes), binding: binding)
    }

    @Test(arguments: cases)
    func `evidence of a software key is verified like any other's, and incomplete since nobody vouches for the key`(
        _ example: Case
    ) throws {
        let fixture = try EvidenceFixture()
        let device = example.device
        let signed = try signed(device, example.binding, fixture)
        let registration = registration(example.algorithm, device.publicKey, at: fixture.now)
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: signed, by: registration), photo: signed.capture.photo, depth: signed.capture.depthMap)
        var reasons = EvidenceFindings.reasonsOfAccepted(example.binding)
        reasons[.attestation] = "NOT_ATTESTED"
        #expect(findings.verdict == .incomplete && findings.reasons == reasons)
    }

    @Test(.timeLimit(.minutes(1)), arguments: cases)
    func `evidence of a software key is checked by hand, and not done as nobody vouches for it`(_ example: Case)
        async throws
    {
        let fixture = try EvidenceFixture()
        let device = example.device
        let signed = try signed(device, example.binding, fixture)
        let registration = registration(example.algorithm, device.publicKey, at: fixture.now)
        let json = Array(try JSONEncoder().encode(fixture.evidence(of: signed, by: registration)))
        let (photo, other) = (signed.capture.photo, signed.capture.photoTampered().photo)
        let good = try await `Evidence by hand`.check(json, photo: photo, depth: signed.capture.depthMap)
        #expect(good.exitCode == 1 && good.failed == [])
        #expect(good.output.contains("not checked: whose key it is"), "\(good.output)")
        let bad = try await `Evidence by hand`.check(json, photo: other, depth: signed.capture.depthMap)
        #expect(bad.exitCode == 1 && bad.failed == ["photo_sha256", "client_data_sha256", "signature"])
    }

    @Test(arguments: cases)
    func `evidence of a software key is rejected for bytes that the key did not sign`(_ example: Case) throws {
        let fixture = try EvidenceFixture()
        let device = example.device
        let signed = try signed(device, example.binding, fixture)
        let registration = registration(example.algorithm, device.publicKey, at: fixture.now)
        let other = signed.capture.photoTampered()
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: signed, by: registration, showing: other), photo: other.photo, depth: other.depthMap)
        #expect(findings.verdict == .rejected && findings.reasons[.assertion] == "SIGNATURE_INVALID")
    }

    @Test(arguments: cases)
    func `evidence of a software key is rejected under the id of another key`(_ example: Case) throws {
        let fixture = try EvidenceFixture()
        let device = example.device
        let signed = try signed(device, example.binding, fixture)
        let registration = fixture.registration(
            holding: .unverified(example.algorithm, publicKey: device.publicKey, reason: nil))
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: signed, by: registration), photo: signed.capture.photo, depth: signed.capture.depthMap)
        var reasons = EvidenceFindings.reasonsOfAccepted(example.binding)
        reasons[.attestation] = "NOT_ATTESTED"
        reasons[.key] = "KEY_MISMATCH"
        #expect(findings.verdict == .rejected && findings.reasons == reasons)
    }

    @Test(.timeLimit(.minutes(1)))
    func `evidence of a software key of small order, with which anybody signs, is rejected, and by hand too`()
        async throws
    {
        let fixture = try EvidenceFixture()
        let capture = try fixture.signed(.framedV2).capture
        let data = CaptureModel.SHA256Digest.hash(Array(EvidenceFixture.appID.utf8)).bytes + [0x40, 0, 0, 0, 1]
        let assertion = CBORValue([
            "signature": .bytes(SmallOrderKeyTests.signatureOfNeutral), "authenticatorData": .bytes(data),
        ]).encode()
        let evidence = fixture.evidence(
            of: SignedCapture(capture: capture, assertion: assertion, binding: .framedV2),
            by: registration(.ed25519, SmallOrderKeyTests.neutral, at: fixture.now))
        let findings = try fixture.verifier().verify(evidence, photo: capture.photo, depth: capture.depthMap)
        #expect(findings.verdict == .rejected && findings.reasons[.assertion] == "PUBLIC_KEY_MALFORMED")
        let json = Array(try JSONEncoder().encode(evidence))
        let found = try await `Evidence by hand`.check(json, photo: capture.photo, depth: capture.depthMap)
        #expect(found.exitCode == 1 && found.failed == [`Evidence by hand`.assertionIsNone])
    }

    @Test(arguments: [0, 31, 33, 64, 66])
    func `evidence of a software key is rejected where the key is none of either kind`(_ count: Int) throws {
        let fixture = try EvidenceFixture()
        let registration = registration(.p256, [UInt8](repeating: 4, count: count), at: fixture.now)
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: try fixture.signed(.framedV2), by: registration))
        #expect(findings.verdict == .rejected && findings.reasons[.assertion] == "PUBLIC_KEY_MALFORMED")
    }
}
