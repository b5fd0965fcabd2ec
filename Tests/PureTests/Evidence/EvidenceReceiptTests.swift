import AppAttest
import CBOR
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

    /// It may be one that Apple gave another device, or any bytes.
    @Test func `a receipt in the attestation is told as unsigned`() throws {
        let fixture = try EvidenceFixture()
        let receipt = "key.attestation_object.attStmt.receipt"
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2))
        #expect(evidence.unsignedMembers.filter { $0.contains("attestation_object") } == [receipt])
        let object = try #require(evidence.key?.attestation)
        let entries = try #require(try CBORValue.decode(object).map)
        let other = CBORValue.map(
            entries.map { entry -> CBORValue.Entry in
                guard entry.key.text == "attStmt", let chain = entry.value["x5c"] else { return entry }
                let statement = CBORValue(["x5c": chain, "receipt": .bytes(Array("Verified by Apple".utf8))])
                return CBORValue.Entry(entry.key, statement)
            })
        let registration = EvidenceFixture.registration(
            fixture.phone, .secureEnclave, other.encode(), fixture.registration.clientDataHash, at: fixture.now)
        let changed = fixture.evidence(of: try fixture.signed(.framedV2, seed: 2), counter: 2, by: registration)
        #expect(changed.unsignedMembers.contains(receipt))
        #expect(try fixture.verifier().verify(changed).verdict == .accepted)
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
