import CaptureModel
import CaptureSettings
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The document of evidence` {
    private func document(_ evidence: CaptureEvidence) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(evidence))
        return try #require(object as? [String: Any])
    }

    private func read(_ object: [String: Any]) throws -> CaptureEvidence {
        try CaptureEvidence(json: Array(try JSONSerialization.data(withJSONObject: object)))
    }

    @Test(arguments: Binding.allCases)
    func `an evidence document is read as it was written, bare and in a gateway's answer`(_ binding: Binding) throws {
        let fixture = try EvidenceFixture()
        let evidence = fixture.evidence(of: try fixture.signed(binding))
        let object = try document(evidence)
        #expect(try read(object) == evidence)
        #expect(try read(["data": object, "meta": ["request_id": "r"]]) == evidence)
        #expect(object["format"] as? String == "capture-evidence-v1")
    }

    @Test func `an evidence document writes null for what is not known, and reads it back`() throws {
        let fixture = try EvidenceFixture()
        let known = fixture.evidence(of: try fixture.signed(.framedV2)) { $0.reject(.deviceUnknown) }
        let evidence = CaptureEvidence(
            result: known.result, assertion: known.assertion, metadata: known.metadata, key: nil)
        let object = try document(evidence)
        #expect(object["key"] is NSNull)
        #expect(try read(object) == evidence)
    }

    @Test(arguments: Binding.allCases)
    func `an evidence document is read without its metadata, null or missing, and writes null`(_ binding: Binding)
        throws
    {
        let fixture = try EvidenceFixture()
        let whole = fixture.evidence(of: try fixture.signed(binding))
        let evidence = CaptureEvidence(
            result: whole.result, assertion: whole.assertion, metadata: nil, key: whole.key)
        var object = try document(evidence)
        #expect(object["metadata"] is NSNull)
        #expect(try read(object) == evidence)
        object["metadata"] = nil
        #expect(try read(object) == evidence)
        object["metadata"] = 1
        let error = #expect(throws: EvidenceError.self) { () throws in try read(object) }
        #expect(error?.description == "metadata has a value of another type")
    }

    @Test func `an evidence document tells since when the key is compromised, and is read without that as well`() throws
    {
        let fixture = try EvidenceFixture()
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2)) { $0.compromisedSince = fixture.now }
        var object = try document(evidence)
        #expect(try read(object) == evidence && evidence.result.compromisedSince == fixture.now)
        var result = try #require(object["result"] as? [String: Any])
        #expect(result["compromised_since"] as? String == fixture.now.rfc3339)
        result["compromised_since"] = nil
        object["result"] = result
        #expect(try read(object).result.compromisedSince == nil)

        let good = try document(fixture.evidence(of: try fixture.signed(.framedV2)))
        #expect((good["result"] as? [String: Any])?["compromised_since"] is NSNull)
    }

    @Test func `an evidence document tells each check and by which rules it was decided`() throws {
        let fixture = try EvidenceFixture()
        let checks = [Check(.device, .pass), Check(.counter, .pass), Check(.timestamp, .fail, .timestampSkew)]
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2)) { result in
            result.checks = checks
            result.counterPolicy = .window(64)
        }
        var object = try document(evidence)
        #expect(try read(object) == evidence && evidence.result.checks == checks)
        var result = try #require(object["result"] as? [String: Any])
        #expect(result["counter_policy"] as? String == "window(64)")
        #expect(result["processor_version"] as? String == "test")
        var written = try #require(result["checks"] as? [[String: Any]])
        #expect(written.map { $0["name"] as? String } == ["device", "counter", "timestamp"])
        #expect(written[0]["reason"] is NSNull && written[2]["reason"] as? String == "TIMESTAMP_SKEW")
        // Of a newer release.
        written.append(["name": "future_check", "outcome": "pass"])
        result["checks"] = written
        object["result"] = result
        #expect(try read(object).result.checks == checks)
    }

    @Test(arguments: ["client_data_sha256", "checks", "counter_policy", "processor_version"], [true, false])
    func `an evidence document is not read without what each release writes`(member: String, isNull: Bool) throws {
        let fixture = try EvidenceFixture()
        var object = try document(fixture.evidence(of: try fixture.signed(.framedV2)))
        var result = try #require(object["result"] as? [String: Any])
        result[member] = isNull ? NSNull() : nil
        object["result"] = result
        let error = #expect(throws: EvidenceError.self) { () throws in try read(object) }
        #expect(error?.code == .memberMissing)
        #expect(error?.description == "result.\(member) \(isNull ? "must not be null" : "is missing")")
    }

    @Test(arguments: [
        "capture_id", "device_id", "verdict", "confidence", "binding", "photo_sha256", "depth_sha256",
        "metadata_sha256", "client_data_sha256", "received_at", "settled_at", "compromised_since", "counter_policy",
    ])
    func `an evidence document refuses a value out of range by its name`(_ member: String) throws {
        let fixture = try EvidenceFixture()
        var object = try document(fixture.evidence(of: try fixture.signed(.framedV2)))
        var result = try #require(object["result"] as? [String: Any])
        result[member] = "nothing"
        object["result"] = result
        let error = #expect(throws: EvidenceError.self) { () throws in try read(object) }
        #expect(error?.code == .memberInvalid)
        #expect(error?.description == "result.\(member) has a value out of range")
    }

    /// To compare one as a Swift `String` takes the square of its length.
    @Test(arguments: [
        "format", "capture_id", "verdict", "reason", "confidence", "binding", "photo_sha256", "received_at", "more",
    ])
    func `an evidence document has no long text beyond ASCII`(_ member: String) throws {
        let fixture = try EvidenceFixture()
        func json(_ text: String) throws -> [UInt8] {
            let evidence = fixture.evidence(of: try fixture.signed(.framedV2)) {
                // Only a rejected capture has a reason.
                if member == "reason" { $0.reject(.photoMalformed) }
            }
            var object = try document(evidence)
            var result = try #require(object["result"] as? [String: Any])
            if member == "format" { object[member] = text } else { result[member] = text }
            object["result"] = result
            return Array(try JSONSerialization.data(withJSONObject: object))
        }
        let long = try json(CostlyText.bytes(150_000))
        for bytes in [long, Array("{\"data\":".utf8) + long + Array("}".utf8)] {
            let error = #expect(throws: EvidenceError.self) { () throws in try CaptureEvidence(json: bytes) }
            #expect(error?.description.contains("too long") == true)
        }
        // A reason or a member of a newer release may be of any words.
        let short = try json(CostlyText.bytes(1_000))
        if member == "reason" || member == "more" {
            _ = try CaptureEvidence(json: short)
            return
        }
        let error = #expect(throws: EvidenceError.self) { () throws in try CaptureEvidence(json: short) }
        #expect(error?.description.contains("too long") == false)
    }

    @Test(arguments: [0, 31, 33, 64])
    func `an evidence document refuses a clientDataHash that is no SHA-256`(_ count: Int) throws {
        let fixture = try EvidenceFixture()
        var object = try document(fixture.evidence(of: try fixture.signed(.framedV2)))
        var key = try #require(object["key"] as? [String: Any])
        key["client_data_hash"] = Data(repeating: 7, count: count).base64EncodedString()
        object["key"] = key
        let error = #expect(throws: EvidenceError.self) { () throws in try read(object) }
        #expect(error?.description == "key.client_data_hash has a value out of range")
    }

    /// In bytes whose base64 has as many slashes as can be, each of which `JSONEncoder` escapes.
    @Test func `an evidence document has room for what is taken at the widest settings`() throws {
        func bytesMax(_ setting: Setting) throws -> Int {
            guard case .bytes(let range) = setting.kind else { throw NotASize(setting: setting.key) }
            return range.upperBound
        }
        let fixture = try EvidenceFixture()
        var capture = try fixture.signed(.framedV2).capture
        let text = String(repeating: "?", count: try bytesMax(.metadataBytesMax) - 8)
        capture.metadata = Array("{\"a\":\"\(text)\"}".utf8)
        let assertion = [UInt8](repeating: 0xFF, count: try bytesMax(.assertionBytesMax))
        // As AttestationPolicy and the gateway have it; no setting changes it.
        let attestation = [UInt8](repeating: 0xFF, count: 16 << 10)
        let registration = EvidenceFixture.registration(
            fixture.phone, .secureEnclave, attestation, [UInt8](repeating: 0xFF, count: 32), at: fixture.now)
        let evidence = fixture.evidence(
            of: SignedCapture(capture: capture, assertion: assertion, binding: .framedV2), by: registration)
        let json = Array(try JSONEncoder().encode(evidence))
        #expect(json.count > CaptureEvidence.bytesMax / 2 && json.count <= CaptureEvidence.bytesMax)
        #expect(try CaptureEvidence(json: json) == evidence)
    }

    /// A setting that is no size.
    private struct NotASize: Error {
        let setting: String
    }
}
