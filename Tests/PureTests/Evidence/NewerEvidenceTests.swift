import CaptureModel
import Evidence
import Foundation
import Testing

/// A document may have words that this release does not know: it hands them on, and says where they are.
@Suite struct `Evidence of a newer release` {
    private static let checks: [[String: String?]] = [
        ["name": "device", "outcome": "pass", "reason": nil],
        ["name": "brand_new", "outcome": "fail", "reason": "BRAND_NEW"],
        ["name": "photo_hash", "outcome": "fail", "reason": "BRAND_NEW"],
        ["name": "timestamp", "outcome": "brand-new", "reason": nil],
        ["name": "risk", "outcome": "fail", "reason": "REASON_UNKNOWN"],
        ["name": "counter", "outcome": "unavailable", "reason": "NOT_EVALUATED"],
    ]

    private func document(_ evidence: CaptureEvidence) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(evidence))
        return try #require(object as? [String: Any])
    }

    /// A genuine capture, with what a newer release noted about it.
    private func newer(_ fixture: EvidenceFixture) throws -> (evidence: CaptureEvidence, object: [String: Any]) {
        var object = try document(fixture.evidence(of: try fixture.signed(.framedV2)))
        var result = try #require(object["result"] as? [String: Any])
        result["verdict"] = "rejected"
        result["reason"] = "BRAND_NEW"
        result["confidence"] = "none"
        result["checks"] = Self.checks.map { check in check.mapValues { $0 ?? NSNull() as Any } }
        object["result"] = result
        return (try CaptureEvidence(json: Array(try JSONSerialization.data(withJSONObject: object))), object)
    }

    @Test func `evidence of a newer release is written as it came, without its metadata as well`() throws {
        let fixture = try EvidenceFixture()
        let (evidence, object) = try newer(fixture)
        let written = try document(evidence)
        #expect(NSDictionary(dictionary: written) == NSDictionary(dictionary: object))
        let handedOn = CaptureEvidence(
            result: evidence.result, assertion: evidence.assertion, metadata: nil, key: evidence.key)
        var without = object
        without["metadata"] = NSNull()
        #expect(NSDictionary(dictionary: try document(handedOn)) == NSDictionary(dictionary: without))
    }

    @Test func `evidence of a newer release says which checks and reasons are not known, by their places`() throws {
        let fixture = try EvidenceFixture()
        let (evidence, _) = try newer(fixture)
        let known = fixture.evidence(of: try fixture.signed(.framedV2)).unsignedMembers
        let places = ["result.checks[1]", "result.checks[2].reason", "result.checks[3]"]
        #expect(evidence.unsignedMembers == known + places)
        #expect(evidence.result.reason == .reasonUnknown)
        #expect(evidence.result.checks.map(\.name) == [.device, .photoHash, .risk, .counter])
        #expect(evidence.result.checks.map(\.reason) == [nil, .reasonUnknown, .reasonUnknown, .notEvaluated])
        #expect(try fixture.verifier().verify(evidence).verdict == .accepted)
    }
}
