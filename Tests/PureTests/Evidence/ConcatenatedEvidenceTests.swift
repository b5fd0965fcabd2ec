import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import Testing

/// The signature of concat-v1 says nothing of where the photo ends.
@Suite struct `Evidence of concat-v1` {
    /// Bytes that the phone signed, cut in two.
    private func cut(_ bytes: [UInt8], at place: Int, _ assertion: [UInt8]) -> SignedCapture {
        let capture = SyntheticCapture(
            photo: Array(bytes.prefix(place)), depthMap: Array(bytes.dropFirst(place)), metadata: Array("{}".utf8))
        return SignedCapture(capture: capture, assertion: assertion, binding: .concatV1)
    }

    /// What becomes of them.
    private func findings(
        _ fixture: EvidenceFixture, _ bytes: [UInt8], cut place: Int, _ assertion: [UInt8]
    ) throws -> EvidenceFindings {
        let signed = cut(bytes, at: place, assertion)
        return try fixture.verifier().verify(
            fixture.evidence(of: signed), photo: signed.capture.photo, depth: signed.capture.depthMap)
    }

    @Test(arguments: [0, 1, 40])
    func `evidence of concat-v1 is none of a signed request`(_ cut: Int) throws {
        let fixture = try EvidenceFixture()
        let request = try CaptureSigner(device: fixture.phone).sign(
            body: [], device: fixture.registration.device.id, at: fixture.now)
        let message = Array("\(request.timestamp)|\(SHA256Digest.hash([]).hex)".utf8)
        let findings = try findings(fixture, message, cut: cut, request.assertion)
        #expect(findings.verdict == .rejected && findings.reasons[.photo] == Reason.photoMalformed.rawValue)
        #expect(findings.reasons[.assertion] == nil, "it is the phone's own signature")
    }

    @Test(arguments: [0, 11, 100])
    func `evidence of concat-v1 is none of what framed-v2 signs`(_ cut: Int) throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let digests = [signed.capture.photo, signed.capture.depthMap, signed.capture.metadata].map {
            SHA256Digest.hash($0).hex
        }
        let text = Array("capture-v2\n\(digests.joined(separator: "\n"))".utf8)
        let findings = try findings(fixture, text, cut: cut, signed.assertion)
        #expect(findings.verdict == .rejected && findings.reasons[.photo] == "PHOTO_MALFORMED")
        #expect(findings.reasons[.assertion] == nil, "it is the phone's own signature")
    }

    @Test func `evidence of concat-v1 takes both parts: no photo that ends within itself, and no empty depth map`()
        throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.concatV1)
        let bytes = signed.capture.photo + signed.capture.depthMap
        let torn = try findings(fixture, bytes, cut: signed.capture.photo.count / 2, signed.assertion)
        #expect(torn.verdict == .rejected && torn.reasons[.photo] == "PHOTO_MALFORMED")
        let whole = try findings(fixture, bytes, cut: bytes.count, signed.assertion)
        #expect(whole.verdict == .rejected && whole.reasons[.depth] == Reason.depthMalformed.rawValue)
        #expect(torn.reasons[.assertion] == nil && whole.reasons[.assertion] == nil)
    }

    @Test(.timeLimit(.minutes(1))) func `evidence of concat-v1 takes both parts by hand, too`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.concatV1)
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        let cuts: [(Int, [String])] = [
            (3, ["photo is a JPEG"]), (photo.count / 2, ["photo is a JPEG"]), (photo.count - 1, ["photo is a JPEG"]),
            (photo.count, []), (photo.count + 100, []), (photo.count + depth.count, ["depth map is not empty"]),
        ]
        for (cut, failed) in cuts {
            let capture = SyntheticCapture(
                photo: Array((photo + depth).prefix(cut)), depthMap: Array((photo + depth).dropFirst(cut)),
                metadata: Array("{}".utf8))
            let torn = SignedCapture(capture: capture, assertion: signed.assertion, binding: .concatV1)
            let json = Array(try JSONEncoder().encode(fixture.evidence(of: torn)))
            let found = try await `Evidence by hand`.check(json, photo: capture.photo, depth: capture.depthMap)
            #expect(found.failed == failed && found.exitCode == (failed.isEmpty ? 0 : 1), "cut at \(cut)")
        }
    }

    /// What README says that it does not promise.
    @Test
    func `evidence of concat-v1 does not fix the cut: bytes of the depth map behind the JPEG's end are the photo's`()
        throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.concatV1)
        let bytes = signed.capture.photo + signed.capture.depthMap
        let other = cut(bytes, at: signed.capture.photo.count + 100, signed.assertion)
        let evidence = fixture.evidence(of: other)
        let findings = try fixture.verifier().verify(
            evidence, photo: other.capture.photo, depth: other.capture.depthMap)
        #expect(findings.verdict == .accepted)
        // Neither digest is that of what the phone sent.
        #expect(evidence.result.photoDigest != .hash(signed.capture.photo))
        #expect(evidence.result.depthDigest != .hash(signed.capture.depthMap))
        #expect(Set(evidence.unsignedMembers).isSuperset(of: ["result.photo_sha256", "result.depth_sha256"]))
    }

    /// Beyond the defaults of `capture.photoSegmentsMax`, `photoPixelsMax`, `photoScansMax` and `photoMetadataBytesMax`.
    private static let widePhotos: [(limit: String, photo: [UInt8])] = [
        ("segments", repeated(1100, JPEGBuilder.tables) { $0.segment(0xFE, []) }.frame().scan().raw([0x3F]).end),
        ("pixels", JPEGBuilder.tables.frame(width: 9000, height: 8000).scan().raw(spaces(300_000)).end),
        ("scans", repeated(70, JPEGBuilder.tables.frame()) { $0.scan().raw([0x3F]) }.end),
        (
            "metadata",
            repeated(80, JPEGBuilder.tables) { $0.segment(0xFE, spaces(65_000)) }.frame().scan().raw([0x3F]).end
        ),
    ]

    private static func spaces(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x20, count: count) }

    private static func repeated(
        _ count: Int, _ start: JPEGBuilder, _ add: (JPEGBuilder) -> JPEGBuilder
    ) -> JPEGBuilder {
        var photo = start
        for _ in 0..<count { photo = add(photo) }
        return photo
    }

    @Test(arguments: widePhotos)
    func `evidence of concat-v1 holds photos to no narrower limits than a system may be set to`(
        limit: String, photo: [UInt8]
    ) throws {
        let fixture = try EvidenceFixture()
        var capture = try fixture.signed(.concatV1).capture
        capture.photo = photo
        let signed = try CaptureSigner(device: fixture.phone, binding: .concatV1).sign(capture)
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: signed, counter: 2), photo: capture.photo, depth: capture.depthMap)
        #expect(findings.verdict == .accepted && findings.reasons[.photo] == nil, "\(limit)")
    }

    @Test func `evidence of concat-v1 tells a photo beyond every limit from one that is malformed`() throws {
        let fixture = try EvidenceFixture()
        var capture = try fixture.signed(.concatV1).capture
        capture.photo = JPEGBuilder.tables.frame(width: 40_000, height: 30_000).scan().raw([0x3F]).end
        let signed = try CaptureSigner(device: fixture.phone, binding: .concatV1).sign(capture)
        let findings = try fixture.verifier().verify(
            fixture.evidence(of: signed, counter: 2), photo: capture.photo, depth: capture.depthMap)
        #expect(findings.verdict == .rejected && findings.reasons[.photo] == "PHOTO_TOO_LARGE")
    }
}
