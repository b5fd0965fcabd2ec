import CBOR
import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import Testing

@Suite struct `What nobody signed of a capture` {
    /// A change of one value of a document.
    struct Change: Sendable, CustomTestStringConvertible {
        let member: String
        let value: any Sendable

        var testDescription: String { member }
    }

    private static let changes = [
        Change(member: "result.capture_id", value: "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"),
        Change(member: "result.device_id", value: "3f1c2f7e-8a52-4c1b-9f0e-2f6f0a7d5c11"),
        Change(member: "result.verdict", value: "rejected"),
        Change(member: "result.reason", value: "COUNTER_REPLAY"),
        Change(member: "result.confidence", value: "none"),
        Change(member: "result.received_at", value: "2020-01-01T00:00:00Z"),
        Change(member: "result.settled_at", value: "2020-01-01T00:00:00Z"),
        Change(member: "result.compromised_since", value: "2020-01-01T00:00:00Z"),
        Change(member: "result.checks", value: [["name": "counter", "outcome": "fail"]]),
        Change(member: "result.counter_policy", value: "window(64)"),
        Change(member: "result.processor_version", value: "of somebody else"),
        // A second after the fixture's own time.
        Change(member: "key.registered_at", value: "2027-01-15T08:00:01Z"),
    ]

    private static let changesOfSigned = [
        Change(member: "result.photo_sha256", value: SHA256Digest.hash([1]).hex),
        Change(member: "result.depth_sha256", value: SHA256Digest.hash([2]).hex),
        Change(member: "result.metadata_sha256", value: SHA256Digest.hash([3]).hex),
        Change(member: "result.client_data_sha256", value: SHA256Digest.hash([4]).hex),
        Change(member: "result.binding", value: "concat-v1"),
        // {} as JSON, and as CBOR.
        Change(member: "metadata", value: "e30="),
        Change(member: "assertion", value: "oA=="),
        Change(member: "key.attestation_object", value: "oA=="),
        Change(member: "key.key_id", value: Data(repeating: 1, count: 32).base64EncodedString()),
        Change(member: "key.public_key", value: Data(repeating: 2, count: 32).base64EncodedString()),
        Change(member: "key.client_data_hash", value: Data(repeating: 3, count: 32).base64EncodedString()),
    ]

    private func changed(_ evidence: CaptureEvidence, _ changes: [Change]) throws -> CaptureEvidence {
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(evidence))
        var object = try #require(json as? [String: Any])
        for change in changes {
            let path = change.member.split(separator: ".").map(String.init)
            if path.count == 1 {
                object[path[0]] = change.value
            } else {
                var part = try #require(object[path[0]] as? [String: Any])
                part[path[1]] = change.value
                object[path[0]] = part
            }
        }
        return try CaptureEvidence(json: Array(try JSONSerialization.data(withJSONObject: object)))
    }

    @Test(arguments: changes)
    func `what nobody signed may be anything, and is told as such`(_ change: Change) throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let genuine = fixture.evidence(of: signed)
        let other = try changed(genuine, [change])
        #expect(other != genuine && other.unsignedMembers.contains(change.member))
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
        #expect(Set(framed) == Set(Self.changes.map(\.member)) && framed.count == Self.changes.count)
        let concat = fixture.evidence(of: try fixture.signed(.concatV1)).unsignedMembers
        let digests = ["result.photo_sha256", "result.depth_sha256", "result.metadata_sha256"]
        #expect(concat == framed + digests + ["metadata"])
    }

    @Test func `what nobody signed still has to fit the rest of the document`() throws {
        let fixture = try EvidenceFixture()
        let framed = try fixture.signed(.framedV2)
        // Before the key's certificate was valid.
        let early = Change(member: "key.registered_at", value: "2020-01-01T00:00:00Z")
        let findings = try fixture.verifier().verify(
            try changed(fixture.evidence(of: framed), [early]), photo: framed.capture.photo,
            depth: framed.capture.depthMap)
        #expect(findings.verdict == .rejected && findings.reasons[.attestation] == "LEAF_NOT_YET_VALID")
        let concat = try fixture.signed(.concatV1)
        // {}, of which the document has no digest.
        let other = try changed(fixture.evidence(of: concat), [Change(member: "metadata", value: "e30=")])
        #expect(other.unsignedMembers.contains("metadata"))
        let reasons = try fixture.verifier().verify(
            other, photo: concat.capture.photo, depth: concat.capture.depthMap
        ).reasons
        #expect(reasons[.metadata] == "DIGEST_MISMATCH")
        let fault = #expect(throws: EvidenceError.self) {
            try changed(fixture.evidence(of: framed), [Change(member: "result.capture_id", value: "x")])
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
        let other = try changed(genuine, places.map { Change(member: $0, value: "Apple") })
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
                Change(member: "assertion", value: try padded(genuine.assertion, "cdHash")),
                Change(member: "key.attestation_object", value: try padded(attestation, "owner")),
            ])
        let added = ["assertion.cdHash", "key.attestation_object.owner"]
        #expect(other.unsignedMembers == genuine.unsignedMembers + added)
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
                Change(member: "metadata", value: Data(metadata).base64EncodedString()),
                Change(member: "result.metadata_sha256", value: SHA256Digest.hash(metadata).hex),
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
        let other = try changed(fixture.evidence(of: signed), [Change(member: "metadata", value: "e30=")])
        let findings = try fixture.verifier().verify(
            other, photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(findings.verdict == .rejected && findings.reasons == [.metadata: "DIGEST_MISMATCH"])
    }
}
