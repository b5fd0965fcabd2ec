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

    @Test func `tells since when the key is compromised, and is read without that as well`() throws {
        let bench = try EvidenceBench()
        let evidence = bench.evidence(of: try bench.signed(.framedV2)) { $0.compromisedSince = bench.now }
        var object = try document(evidence)
        #expect(try read(object) == evidence && evidence.result.compromisedSince == bench.now)
        var result = try #require(object["result"] as? [String: Any])
        #expect(result["compromised_since"] as? String == bench.now.rfc3339)
        // As releases wrote it that did not tell.
        result["compromised_since"] = nil
        object["result"] = result
        #expect(try read(object).result.compromisedSince == nil)

        let good = try document(bench.evidence(of: try bench.signed(.framedV2)))
        #expect((good["result"] as? [String: Any])?["compromised_since"] is NSNull)
    }

    @Test(arguments: [
        "capture_id", "device_id", "verdict", "confidence", "binding", "photo_sha256", "depth_sha256",
        "metadata_sha256", "received_at", "settled_at", "compromised_since",
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

    @Test(arguments: [0, 31, 33, 64])
    func `refuses a clientDataHash that is no SHA-256`(_ count: Int) throws {
        let bench = try EvidenceBench()
        var object = try document(bench.evidence(of: try bench.signed(.framedV2)))
        var key = try #require(object["key"] as? [String: Any])
        key["client_data_hash"] = Data(repeating: 7, count: count).base64EncodedString()
        object["key"] = key
        let error = #expect(throws: EvidenceError.self) { () throws in try read(object) }
        #expect(error?.description.contains("client_data_hash") == true)
    }

    @Test func `ends where its JSON ends`() throws {
        let bench = try EvidenceBench()
        let object = try document(bench.evidence(of: try bench.signed(.framedV2)))
        let documents: [[String: Any]] = [object, ["data": object]]
        for document in documents {
            let json = Array(try JSONSerialization.data(withJSONObject: document))
            _ = try CaptureEvidence(json: json + Array(" \r\n\t".utf8))
            for garbage in ["x", "}", ",", "null", "{}", "\n{\"format\":\"capture-evidence-v1\"}"] {
                #expect(throws: EvidenceError.self) { try CaptureEvidence(json: json + Array(garbage.utf8)) }
            }
            #expect(throws: EvidenceError.self) { try CaptureEvidence(json: json + json) }
        }
    }

    @Test func `refuses what is no evidence`() throws {
        for json in ["", "{}", "[1]", "{\"format\":\"capture-evidence-v2\"}", "null"] {
            #expect(throws: EvidenceError.self) { try CaptureEvidence(json: Array(json.utf8)) }
        }
        let long = [UInt8](repeating: 0x20, count: CaptureEvidence.bytesMax + 1)
        #expect(throws: EvidenceError.self) { try CaptureEvidence(json: long) }
    }
}
