import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

/// Nothing is wrong, and not everything was looked at.
@Suite("Evidence by hand that is not complete", .timeLimit(.minutes(1)))
struct IncompleteEvidenceByHandTests {
    private static func check(
        _ evidence: CaptureEvidence, photo: [UInt8]?, depth: [UInt8]?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (exitCode: Int32, failed: [String], output: String) {
        let json = Array(try JSONEncoder().encode(evidence))
        return try await `Evidence by hand`.check(json, photo: photo, depth: depth, sourceLocation: sourceLocation)
    }

    @Test func `evidence by hand is good for the digests of framed-v2, and says what it did not look at`() async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let whole = fixture.evidence(of: signed)
        let evidence = CaptureEvidence(
            result: whole.result, assertion: whole.assertion, metadata: nil, key: whole.key)
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        let cases: [(photo: [UInt8]?, depth: [UInt8]?, metadata: [UInt8]?, absent: String)] = [
            (nil, nil, whole.metadata, "photo, depth map"), (photo, nil, whole.metadata, "depth map"),
            (photo, depth, nil, "metadata"), (nil, nil, nil, "photo, depth map, metadata"),
        ]
        for given in cases {
            let shown = given.metadata == nil ? evidence : whole
            let found = try await Self.check(shown, photo: given.photo, depth: given.depth)
            #expect(found.exitCode == 0 && found.failed == [], "\(found.output)")
            #expect(found.output.contains("not checked: \(given.absent)\n"), "\(found.output)")
            let findings = try fixture.verifier().verify(shown, photo: given.photo, depth: given.depth)
            #expect(findings.verdict == .accepted)
        }
    }

    /// As ``EvidenceVerifier`` has it: the key's signature is looked at, and nothing shows that it is of these bytes.
    @Test func `evidence by hand is not done with concat-v1 before both photo and depth map are given`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.concatV1)
        let evidence = fixture.evidence(of: signed)
        let forged = fixture.evidence(of: signed) { $0.clientDataHash = .hash([1]) }
        let photos: [[UInt8]?] = [nil, signed.capture.photo]
        for photo in photos {
            let found = try await Self.check(evidence, photo: photo, depth: nil)
            #expect(found.exitCode == 1 && found.failed == [])
            let absent = photo == nil ? "photo, depth map" : "depth map"
            #expect(found.output.contains("not checked: \(absent): concat-v1 signs"), "\(found.output)")
            #expect(found.output.contains("pass signature\n"), "\(found.output)")
            #expect(try fixture.verifier().verify(evidence, photo: photo).verdict == .incomplete)

            let other = try await Self.check(forged, photo: photo, depth: nil)
            #expect(other.exitCode == 1 && other.failed == ["signature"])
        }
    }

    /// As ``EvidenceVerifier`` has it: nothing is wrong, and not everything was looked at.
    @Test func `evidence by hand is not done where the record has no counter`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let evidence = fixture.evidence(of: signed, counter: nil)
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        let found = try await Self.check(evidence, photo: photo, depth: depth)
        #expect(found.exitCode == 1 && found.failed == [])
        #expect(found.output.contains("not checked: the counter: the record names none"), "\(found.output)")
        #expect(try fixture.verifier().verify(evidence, photo: photo, depth: depth).verdict == .incomplete)
    }

    /// As ``EvidenceVerifier`` has it: a device that was never registered, and one that told no key.
    @Test(arguments: [true, false])
    func `evidence by hand is not done where there is no key, and looks at the digests all the same`(isRegistered: Bool)
        async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let whole = fixture.evidence(of: signed) { $0.reject(.deviceUnknown) }
        let key =
            isRegistered
            ? CaptureEvidence.Key(
                fixture.registration(holding: .unverified(.p256, publicKey: nil, reason: nil))) : nil
        let evidence = CaptureEvidence(
            result: whole.result, assertion: whole.assertion, metadata: whole.metadata, key: key)
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        let found = try await Self.check(evidence, photo: photo, depth: depth)
        #expect(found.exitCode == 1 && found.failed == [], "\(found.output)")
        #expect(found.output.contains("not checked: the key, and so neither counter nor signature"), "\(found.output)")
        #expect(found.output.contains("pass photo_sha256\n"), "\(found.output)")
        let findings = try fixture.verifier().verify(evidence, photo: photo, depth: depth)
        #expect(findings.verdict == .incomplete && findings.reasons[.key] == "KEY_MISSING")
        let other = try await Self.check(evidence, photo: signed.capture.photoTampered().photo, depth: depth)
        #expect(other.exitCode == 1 && other.failed == ["photo_sha256", "client_data_sha256"], "\(other.output)")
    }
}
