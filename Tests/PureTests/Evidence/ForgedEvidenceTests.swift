import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

/// Documents of which one part is not what the rest says.
@Suite(.timeLimit(.minutes(1))) struct `Forged evidence` {
    private func byHand(
        _ evidence: CaptureEvidence, _ capture: SyntheticCapture, replacing old: String = "", with new: String = ""
    ) async throws -> (exitCode: Int32, failed: [String], output: String) {
        let text = String(decoding: try JSONEncoder().encode(evidence), as: UTF8.self)
        try #require(text.contains(old) || old.isEmpty)
        let json = old.isEmpty ? text : text.replacing(old, with: new)
        return try await `Evidence by hand`.check(
            Array(json.utf8), photo: capture.photo, depth: capture.depthMap)
    }

    /// All that Apple vouches for is genuine, and so is the signature: by a key that Apple has never seen.
    @Test(arguments: Binding.allCases)
    func `forged evidence is found out where another key stands beside a genuine attestation`(_ binding: Binding)
        async throws
    {
        let fixture = try EvidenceFixture()
        let forger = SimulatedDevice(appID: EvidenceFixture.appID)
        let capture = try fixture.signed(binding).capture
        let signed = try CaptureSigner(device: forger, binding: binding).sign(capture)
        let evidence = fixture.evidence(
            of: signed,
            by: fixture.registration(
                holding: .of(.secureEnclave, publicKey: forger.publicKey, appID: fixture.phone.appID)))
        let findings = try fixture.verifier().verify(evidence, photo: capture.photo, depth: capture.depthMap)
        var reasons = EvidenceFindings.reasonsOfAccepted(binding)
        reasons[.key] = "KEY_MISMATCH"
        #expect(findings.verdict == .rejected && findings.reasons == reasons)
        let found = try await byHand(evidence, capture)
        #expect(found.exitCode == 1 && found.failed == ["attestation: key is public_key", "key_id"])
    }

    @Test(arguments: Binding.allCases)
    func `forged evidence is found out by hand where the record says that something else was signed`(_ binding: Binding)
        async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(binding)
        let evidence = fixture.evidence(of: signed) { $0.clientDataHash = .hash([1]) }
        let found = try await byHand(evidence, signed.capture)
        #expect(found.exitCode == 1 && found.failed == ["client_data_sha256"])
    }

    @Test(arguments: [
        (AssertionFlaw.trailingByte, `Evidence by hand`.assertionIsNone),
        (.authenticatorDataShort, `Evidence by hand`.assertionIsNone),
        (.authenticatorDataJunk, "it cannot be read: the assertion has a value that is reserved"),
    ])
    func `forged evidence is found out by hand where the assertion is none`(flaw: AssertionFlaw, fault: String)
        async throws
    {
        let fixture = try EvidenceFixture()
        let capture = try fixture.signed(.framedV2).capture
        let signed = try CaptureSigner(device: fixture.phone, binding: .framedV2).sign(
            capture, counter: .exactly(1), flaw: flaw)
        let found = try await byHand(fixture.evidence(of: signed), capture)
        #expect(found.exitCode == 1 && found.failed == [fault])
    }

    @Test(arguments: [
        (#""binding":"framed-v2""#, #""binding":"framed-v3""#, "result.binding has a value out of range"),
        (#""format":"capture-evidence-v1""#, #""format":"capture-evidence-v2""#, "the format is not known"),
    ])
    func `forged evidence is not read by hand where it is of another kind`(old: String, new: String, fault: String)
        async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let found = try await byHand(fixture.evidence(of: signed), signed.capture, replacing: old, with: new)
        #expect(found.exitCode == 1 && found.failed == ["it cannot be read: \(fault)"])
    }
}
