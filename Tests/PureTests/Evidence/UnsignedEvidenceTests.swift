import CBOR
import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import Testing

@Suite struct `What nobody signed of a capture` {
    typealias Change = EvidenceChange

    /// Each with the others that it takes to contradict nothing.
    private static let changes: [[Change]] = [
        [Change("result.capture_id", "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21")],
        [Change("result.device_id", "3f1c2f7e-8a52-4c1b-9f0e-2f6f0a7d5c11")],
        [
            Change("result.verdict", "rejected"), Change("result.reason", "COUNTER_REPLAY"),
            Change("result.confidence", "none"),
            Change("result.checks", [["name": "counter", "outcome": "fail"]]),
        ],
        [Change("result.confidence", "low")],
        [Change("result.received_at", "2020-01-01T00:00:00Z")],
        [Change("result.settled_at", "2020-01-01T00:00:00Z")],
        [Change("result.compromised_since", "2020-01-01T00:00:00Z")],
        [
            Change(
                "result.checks",
                [["name": "counter", "outcome": "pass"], ["name": "photo_hash", "outcome": "fail"]])
        ],
        [Change("result.counter_policy", "window(64)")],
        [Change("result.processor_version", "of somebody else")],
        // A second after the fixture's own time.
        [Change("key.registered_at", "2027-01-15T08:00:01Z")],
    ]

    private static let receipt = "key.attestation_object.attStmt.receipt"

    private static let changesOfSigned: [Change] = [
        Change("result.photo_sha256", SHA256Digest.hash([1]).hex),
        Change("result.depth_sha256", SHA256Digest.hash([2]).hex),
        Change("result.metadata_sha256", SHA256Digest.hash([3]).hex),
        Change("result.client_data_sha256", SHA256Digest.hash([4]).hex),
        Change("result.binding", "concat-v1"),
        // {} as JSON, and as CBOR.
        Change("metadata", "e30="),
        Change("assertion", "oA=="),
        Change("key.attestation_object", "oA=="),
        Change("key.key_id", Data(repeating: 1, count: 32).base64EncodedString()),
        Change("key.public_key", Data(repeating: 2, count: 32).base64EncodedString()),
        Change("key.client_data_hash", Data(repeating: 3, count: 32).base64EncodedString()),
    ]

    private func changed(_ evidence: CaptureEvidence, _ changes: [Change]) throws -> CaptureEvidence {
        try CaptureEvidence(json: evidence.json(with: changes))
    }

    @Test(arguments: changes)
    func `what nobody signed may be anything that contradicts nothing, and is told as such`(_ changes: [Change]) throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let genuine = fixture.evidence(of: signed)
        let other = try changed(genuine, changes)
        #expect(other != genuine && Set(other.unsignedMembers).isSuperset(of: changes.map(\.member)))
        let findings = try fixture.verifier().verify(
            other, photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(findings.verdict == .accepted && findings.reasons.isEmpty)
    }

    @Test
    func `what nobody signed is all that may be anything, with concat-v1 also the metadata and each part's digest`()
        throws
    {
        let fixture = try EvidenceFixture()
        let framed = fixture.evidence(of: try fixture.signed(.framedV2)).unsignedMembers
        let members = Set(Self.changes.joined().map(\.member)).union([Self.receipt])
        #expect(Set(framed) == members && framed.count == members.count && framed.last == Self.receipt)
        let concat = fixture.evidence(of: try fixture.signed(.concatV1)).unsignedMembers
        let digests = ["result.photo_sha256", "result.depth_sha256", "result.metadata_sha256"]
        #expect(concat == Array(framed.dropLast()) + digests + ["metadata", Self.receipt])
    }

    @Test func `what nobody signed still has to fit the rest of the document`() throws {
        let fixture = try EvidenceFixture()
        let framed = try fixture.signed(.framedV2)
        // Before the key's certificate was valid.
        let early = Change("key.registered_at", "2020-01-01T00:00:00Z")
        let findings = try fixture.verifier().verify(
            try changed(fixture.evidence(of: framed), [early]), photo: framed.capture.photo,
            depth: framed.capture.depthMap)
        #expect(findings.verdict == .rejected && findings.reasons[.attestation] == "LEAF_NOT_YET_VALID")
        let concat = try fixture.signed(.concatV1)
        // {}, of which the document has no digest.
        let other = try changed(fixture.evidence(of: concat), [Change("metadata", "e30=")])
        #expect(other.unsignedMembers.contains("metadata"))
        let reasons = try fixture.verifier().verify(
            other, photo: concat.capture.photo, depth: concat.capture.depthMap
        ).reasons
        #expect(reasons[.metadata] == "DIGEST_MISMATCH")
        let fault = #expect(throws: EvidenceError.self) {
            try changed(fixture.evidence(of: framed), [Change("result.capture_id", "x")])
        }
        #expect(fault?.description == "result.capture_id has a value out of range")
    }

    /// As a newer release may have them, or whoever would like to be believed.
    @Test(arguments: Binding.allCases)
    func `what nobody signed is every member that is not known, by its place`(_ binding: Binding) throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(binding)
        let genuine = fixture.evidence(of: signed)
        let places = ["result.captured_at", "key.owner", "signed_by"]
        let other = try changed(genuine, places.map { Change($0, "Apple") })
        #expect(Set(other.unsignedMembers.dropFirst(genuine.unsignedMembers.count)) == Set(places))
        let findings = try fixture.verifier().verify(
            other, photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(findings.verdict == .accepted)

        let text = String(decoding: try JSONEncoder().encode(genuine), as: UTF8.self)
        let answer =
            #"{"\u0061uthor":{"name":1},"data":\#(text.dropLast()),"more":[{"a":1}]},"meta":{"request_id":"r"}}"#
        let read = try CaptureEvidence(json: Array(answer.utf8))
        #expect(read.unsignedMembers == genuine.unsignedMembers + ["author", "more"])
    }

    /// The CBOR of an object with one more key, at its end.
    private func padded(_ bytes: [UInt8], _ key: String) throws -> String {
        let entries = try #require(try CBORValue.decode(bytes).map)
        let map = CBORValue.map(entries + [CBORValue.Entry(.text(key), .text("Apple"))])
        return Data(map.encode()).base64EncodedString()
    }

    @Test func `what nobody signed is what stands beside the signed bytes of the assertion and the attestation`() throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let genuine = fixture.evidence(of: signed)
        let attestation = try #require(genuine.key?.attestation)
        let other = try changed(
            genuine,
            [
                Change("assertion", try padded(genuine.assertion, "cdHash")),
                Change("key.attestation_object", try padded(attestation, "owner")),
            ])
        let added = ["assertion.cdHash", "key.attestation_object.owner"]
        #expect(Set(other.unsignedMembers) == Set(genuine.unsignedMembers + added))
        #expect(other.unsignedMembers.count == genuine.unsignedMembers.count + added.count)
        let findings = try fixture.verifier().verify(
            other, photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(findings.verdict == .accepted)
    }

    @Test(
        arguments: [
            (64, 128, nil), (65, 3, .membersTooMany), (1, 129, .malformed),
        ] as [(Int, Int, EvidenceError.Code?)])
    func `what nobody signed is told as long as it can be`(
        count: Int, length: Int, refusal: EvidenceError.Code?
    ) throws {
        let fixture = try EvidenceFixture()
        let text = String(
            decoding: try JSONEncoder().encode(fixture.evidence(of: try fixture.signed(.framedV2))), as: UTF8.self)
        let names = (0..<count).map { index in
            String(repeating: "x", count: length - "\(index)".count) + "\(index)"
        }
        let more = names.map { ",\"\($0)\":0" }.joined()
        let json = Array("\(text.dropLast())\(more)}".utf8)
        guard let refusal else {
            #expect(try CaptureEvidence(json: json).unsignedMembers.suffix(count) == names[...])
            return
        }
        let fault = #expect(throws: EvidenceError.self) { try CaptureEvidence(json: json) }
        #expect(fault?.code == refusal)
    }

    @Test(arguments: changesOfSigned)
    func `what nobody signed is nothing of the rest`(_ change: Change) throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let other = try changed(fixture.evidence(of: signed), [change])
        let findings = try fixture.verifier().verify(
            other, photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(findings.verdict == .rejected)
    }

    @Test func `what nobody signed are the metadata of concat-v1: their step does not pass, and rejects nothing`()
        throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.concatV1)
        let genuine = fixture.evidence(of: signed)
        let metadata = Array(#"{"photo":"taken elsewhere"}"#.utf8)
        let other = try changed(
            genuine,
            [
                Change("metadata", Data(metadata).base64EncodedString()),
                Change("result.metadata_sha256", SHA256Digest.hash(metadata).hex),
            ])
        for evidence in [genuine, other] {
            let findings = try fixture.verifier().verify(
                evidence, photo: signed.capture.photo, depth: signed.capture.depthMap)
            #expect(findings.verdict == .accepted && findings.reasons == [.metadata: "NOT_SIGNED"])
            let step = findings.findings.first { $0.step == .metadata }
            #expect(step?.outcome == .unavailable)
        }
    }

    @Test func `what nobody signed contradicts the evidence all the same where it contradicts itself`() throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.concatV1)
        let other = try changed(fixture.evidence(of: signed), [Change("metadata", "e30=")])
        let findings = try fixture.verifier().verify(
            other, photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(findings.verdict == .rejected && findings.reasons == [.metadata: "DIGEST_MISMATCH"])
    }
}
