import AppAttest
import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

@Suite struct `Evidence that others verify` {
    @Test(arguments: Binding.allCases)
    func `a genuine capture is accepted with its photo and depth map`(_ binding: Binding) throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(binding)
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: signed), photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(findings.verdict == .accepted)
        #expect(findings.reasons == EvidenceFindings.reasonsOfAccepted(binding))
        #expect(findings.findings.map(\.step) == EvidenceFindings.Step.allCases)
        #expect(findings.attestation?.appID.text == EvidenceFixture.appID)
    }

    @Test func `framed-v2 is accepted for its digests alone, and concat-v1 takes the bytes`() throws {
        let fixture = try EvidenceFixture()
        let framed = try fixture.verifier().verify(fixture.evidence(of: try fixture.signed(.framedV2)))
        #expect(framed.verdict == .accepted && framed.reasons == [.photo: "NOT_GIVEN", .depth: "NOT_GIVEN"])
        let concat = try fixture.verifier().verify(fixture.evidence(of: try fixture.signed(.concatV1), counter: 2))
        #expect(concat.verdict == .incomplete && concat.reasons[.photo] == "BYTES_NEEDED")
    }

    @Test func `with what was signed the signature of concat-v1 is looked at without the bytes`() throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.concatV1)
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        func findings(_ hash: SHA256Digest, photo: [UInt8]?, depth: [UInt8]?) throws -> EvidenceFindings {
            try fixture.verifier().verify(
                fixture.evidence(of: signed, counter: 1) { $0.clientDataHash = hash }, photo: photo, depth: depth)
        }
        let hash = SHA256Digest.hash(photo + depth)
        let missing: [EvidenceFindings.Step: String] = [
            .metadata: "NOT_SIGNED", .photo: "BYTES_NEEDED", .depth: "BYTES_NEEDED",
        ]
        let without = try findings(hash, photo: nil, depth: nil)
        #expect(without.verdict == .incomplete && without.reasons == missing)
        // Nothing ties the digest of a depth map to it that nobody has shown.
        #expect(try findings(hash, photo: photo, depth: nil).verdict == .incomplete)
        #expect(try findings(hash, photo: photo, depth: depth).verdict == .accepted)
        let forged = try findings(.hash(photo), photo: nil, depth: nil)
        #expect(forged.verdict == .rejected && forged.reasons[.assertion] == "SIGNATURE_INVALID")
        let changed = try findings(.hash(photo), photo: photo, depth: depth)
        #expect(changed.verdict == .rejected && changed.reasons[.assertion] == "DIGEST_MISMATCH")
    }

    @Test func `another hash than the digests come to is found out`() throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: signed) { $0.clientDataHash = .hash(signed.capture.photo) })
        #expect(findings.verdict == .rejected && findings.reasons[.assertion] == "DIGEST_MISMATCH")
    }

    @Test(arguments: Binding.allCases)
    func `another photo than the one that was signed is found out`(_ binding: Binding) throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(binding)
        let other = signed.capture.photoTampered()
        let honest = try fixture.verifier().verify(
            fixture.evidence(of: signed), photo: other.photo, depth: other.depthMap)
        #expect(honest.verdict == .rejected && honest.reasons[.photo] == "DIGEST_MISMATCH")
        // A record that was changed to fit.
        let changed = try fixture.verifier().verify(
            fixture.evidence(of: signed, showing: other), photo: other.photo, depth: other.depthMap)
        #expect(changed.verdict == .rejected && changed.reasons[.assertion] == "SIGNATURE_INVALID")
        #expect(changed.reasons[.photo] == nil)
    }

    @Test func `metadata that were changed are found out where they are signed`() throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: signed, showing: signed.capture.metadataRewritten()))
        #expect(findings.verdict == .rejected && findings.reasons[.assertion] == "SIGNATURE_INVALID")
    }

    /// As it is handed on by whoever keeps the place to themselves.
    @Test(arguments: Binding.allCases)
    func `a capture is accepted without its metadata, and not with others in their place`(_ binding: Binding) throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(binding)
        let whole = fixture.evidence(of: signed)
        func findings(_ metadata: [UInt8]?) throws -> EvidenceFindings {
            let evidence = CaptureEvidence(
                result: whole.result, assertion: whole.assertion, metadata: metadata, key: whole.key)
            return try fixture.verifier().verify(
                evidence, photo: signed.capture.photo, depth: signed.capture.depthMap)
        }
        let without = try findings(nil)
        #expect(without.verdict == .accepted && without.reasons == [.metadata: "NOT_GIVEN"])
        #expect(without.findings.first { $0.step == .metadata }?.outcome == .unavailable)
        for other in [[UInt8](), signed.capture.metadataRewritten().metadata] {
            let found = try findings(other)
            #expect(found.verdict == .rejected && found.reasons == [.metadata: "DIGEST_MISMATCH"])
        }
    }

    @Test func `without its metadata another digest of them is found out all the same, where it is signed`() throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let other = fixture.evidence(of: signed, showing: signed.capture.metadataRewritten())
        let findings = try fixture.verifier().verify(
            CaptureEvidence(result: other.result, assertion: other.assertion, metadata: nil, key: other.key),
            photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(findings.verdict == .rejected && findings.reasons[.assertion] == "SIGNATURE_INVALID")
    }

    /// An early release verified them, by the first of two members: a reader may find the other.
    @Test(arguments: [
        (#"{"captured_at":"2026-01-01T00:00:00Z","captured_at":"1999-01-01T00:00:00Z"}"#, "a member is there twice"),
        (#"{"a":1,"\u0061":2}"#, "a member is there twice"), (#"{"a":1,}"#, "not JSON"), ("\u{FEFF}{}", "not JSON"),
        (#"{"a":"\ud800"}"#, "half a surrogate pair"), (#"{"place\udc00":1}"#, "half a surrogate pair"),
        (#"{"n":1e999}"#, "a number is too large"),
    ])
    func `signed metadata that others may read otherwise are found out, and why`(
        metadata: String, detail: String
    ) throws {
        let fixture = try EvidenceFixture()
        func findings(_ binding: Binding) throws -> EvidenceFindings {
            var capture = try fixture.signed(binding).capture
            capture.metadata = Array(metadata.utf8)
            let signed = try CaptureSigner(device: fixture.phone, binding: binding).sign(capture)
            return try fixture.verifier().verify(
                fixture.evidence(of: signed, counter: nil), photo: capture.photo, depth: capture.depthMap)
        }
        let framed = try findings(.framedV2)
        #expect(framed.verdict == .rejected && framed.reasons[.metadata] == "METADATA_MALFORMED")
        #expect(framed.reasons[.assertion] == nil, "it is the phone's own signature")
        #expect(framed.findings.first { $0.step == .metadata }?.detail?.contains(detail) == true)
        // Nobody signed them: they say nothing anyway.
        #expect(try findings(.concatV1).reasons[.metadata] == "NOT_SIGNED")
    }

    @Test func `a counter that was not signed is found out`() throws {
        let fixture = try EvidenceFixture()
        let findings = try fixture.verifier().verify(fixture.evidence(of: try fixture.signed(.framedV2), counter: 7))
        #expect(findings.verdict == .rejected && findings.reasons[.counter] == "COUNTER_MISMATCH")
    }

    @Test func `a counter that the record does not have contradicts nothing`() throws {
        let fixture = try EvidenceFixture()
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2), counter: nil)
        let findings = try fixture.verifier().verify(evidence)
        #expect(findings.verdict == .incomplete && findings.reasons[.counter] == "NOT_EVALUATED")
        #expect(findings.findings.last?.outcome == .unavailable && findings.reasons[.assertion] == nil)
    }

    @Test func `a key that Apple did not attest is found out, whatever the record says`() throws {
        let fixture = try EvidenceFixture()
        let stranger = try EvidenceFixture(under: TestCertificateAuthority(at: fixture.now.date))
        let signed = try stranger.signed(.framedV2)
        // Under the attestation of another key.
        let borrowed = EvidenceFixture.registration(
            stranger.phone, .secureEnclave, fixture.registration.attestationObject, fixture.registration.clientDataHash,
            at: fixture.now)
        let findings = try fixture.verifier().verify(fixture.evidence(of: signed, by: borrowed))
        #expect(findings.verdict == .rejected && findings.reasons[.attestation] == "KEY_ID_MISMATCH")
        // Under an authority that is not believed.
        let forged = try fixture.verifier().verify(stranger.evidence(of: signed))
        #expect(forged.verdict == .rejected && forged.reasons[.attestation] == "INTERMEDIATE_SIGNATURE_INVALID")
        // Under another key's name.
        var named = fixture.registration
        named = DeviceRegistration(
            device: EvidenceFixture.registration(stranger.phone, .secureEnclave, nil, nil, at: fixture.now).device)
        let unattested = try fixture.verifier().verify(fixture.evidence(of: signed, by: named))
        #expect(unattested.verdict == .incomplete && unattested.reasons[.attestation] == "NOT_ATTESTED")
    }

    /// Such a policy is shared with the registration of an app that does not hash its challenges.
    @Test func `a capture is accepted whatever length of a clientDataHash the policy names`() throws {
        let fixture = try EvidenceFixture()
        let verifier = try fixture.verifier { $0.limits.clientDataHashBytes = 24 }
        let findings = verifier.verify(fixture.evidence(of: try fixture.signed(.framedV2)))
        #expect(findings.verdict == .accepted && findings.reasons[.attestation] == nil)
    }

    @Test func `another app's key is found out`() throws {
        let fixture = try EvidenceFixture()
        let findings = try fixture.verifier(appID: "ABCDE12345.com.example.other").verify(
            fixture.evidence(of: try fixture.signed(.framedV2)))
        #expect(findings.verdict == .rejected)
        #expect(findings.reasons[.attestation] == "RP_ID_MISMATCH")
        #expect(findings.reasons[.assertion] == "RP_ID_MISMATCH")
    }

    @Test func `a key that nobody vouches for makes it incomplete, and its signature is verified all the same`() throws
    {
        let fixture = try EvidenceFixture()
        let unverified = EvidenceFixture.registration(fixture.phone, .unverified, [1, 2, 3], [4], at: fixture.now)
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: try fixture.signed(.framedV2), by: unverified))
        #expect(findings.verdict == .incomplete && findings.reasons[.attestation] == "NOT_ATTESTED")
        #expect(findings.reasons[.assertion] == nil && findings.reasons[.key] == nil)
    }
}
