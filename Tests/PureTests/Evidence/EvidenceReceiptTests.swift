import AppAttest
import CaptureModel
import DeviceSimulator
import Evidence
import Testing

@Suite struct `Evidence and the receipt of its attestation` {
    /// Nothing signs the receipt together with the attestation, so anybody may have left it out.
    @Test func `a capture is accepted if the receipt of its key's attestation was left out`() throws {
        let fixture = try EvidenceFixture()
        let hash = CaptureSigner.clientDataHash(challenge: [1, 2, 3]).bytes
        let object = try fixture.phone.attest(
            clientDataHash: hash, authority: fixture.authority, at: fixture.now.date, flaw: .receiptMissing)
        let registration = EvidenceFixture.registration(fixture.phone, .secureEnclave, object, hash, at: fixture.now)
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: try fixture.signed(.framedV2), by: registration))
        #expect(findings.verdict == .accepted && findings.attestation?.receipt == [])
    }

    /// Such a policy is shared with the registration; the fixture's receipt is none that Apple has signed.
    @Test func `a capture is accepted whatever its attestation's receipt is, and whatever the policy says of receipts`()
        throws
    {
        let fixture = try EvidenceFixture()
        let verifier = try fixture.verifier { $0.receipts = ReceiptPolicy() }
        let findings = verifier.verify(fixture.evidence(of: try fixture.signed(.framedV2)))
        #expect(findings.verdict == .accepted && findings.reasons[.attestation] == nil)
        #expect(findings.attestation?.receipt.isEmpty == false)
    }
}
