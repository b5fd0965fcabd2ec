import CaptureModel
import Evidence
import Foundation
import Testing

@Suite struct `The document of evidence` {
    private func document(_ evidence: CaptureEvidence) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(evidence))
        return try #require(object as? [String: Any])
    }

    private func read(_ object: [String: Any]) throws -> CaptureEvidence {
        try CaptureEvidence(json: Array(try JSONSerialization.data(withJSONObject: object)))
    }

    @Test(arguments: Binding.allCases)
    func `is read as it was written, bare and in a gateway's answer`(_ binding: Binding) throws {
        let bench = try EvidenceBench()
        let evidence = bench.evidence(of: try bench.signed(binding))
        let object = try document(evidence)
        #expect(try read(object) == evidence)
        #expect(try read(["data": object, "meta": ["request_id": "r"]]) == evidence)
        #expect(object["format"] as? String == "capture-evidence-v1")
    }

    @Test func `writes null for what is not known, and reads it back`() throws {
        let bench = try EvidenceBench()
        let known = bench.evidence(of: try bench.signed(.framedV2))
        let evidence = CaptureEvidence(
            result: known.result, assertion: known.assertion, metadata: known.metadata, key: nil)
        let object = try document(evidence)
        #expect(object["key"] is NSNull)
        #expect(try read(object) == evidence)
    }

    @Test(arguments: [
        "capture_id", "device_id", "verdict", "confidence", "binding", "photo_sha256", "depth_sha256",
        "metadata_sha256", "received_at", "settled_at",
    ])
    func `refuses a value out of range by its name`(_ member: String) throws {
        let bench = try EvidenceBench()
        var object = try document(bench.evidence(of: try bench.signed(.framedV2)))
        var result = try #require(object["result"] as? [String: Any])
        result[member] = "nothing"
        object["result"] = result
        let error = #expect(throws: EvidenceError.self) { () throws in try read(object) }
        #expect(error?.description.contains(member) == true)
    }

    @Test func `refuses what is no evidence`() throws {
        for json in ["", "{}", "[1]", "{\"format\":\"capture-evidence-v2\"}", "null"] {
            #expect(throws: EvidenceError.self) { try CaptureEvidence(json: Array(json.utf8)) }
        }
        let long = [UInt8](repeating: 0x20, count: CaptureEvidence.bytesMax + 1)
        #expect(throws: EvidenceError.self) { try CaptureEvidence(json: long) }
    }
}
