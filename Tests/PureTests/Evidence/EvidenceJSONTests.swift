import CaptureModel
import Evidence
import Foundation
import Testing

/// What is read has to be what every other parser reads in the same bytes.
@Suite(.timeLimit(.minutes(1))) struct `The JSON of evidence` {
    private static let malformed = "not JSON (RFC 8259)"
    private static let twice = "a member is there twice"

    /// A document as a gateway writes it.
    private func document() throws -> String {
        let fixture = try EvidenceFixture()
        return String(
            decoding: try JSONEncoder().encode(fixture.evidence(of: try fixture.signed(.framedV2))), as: UTF8.self)
    }

    /// Why bytes are no evidence; `nil` when they are.
    private func refusal(_ json: [UInt8]) -> String? {
        do throws(EvidenceError) {
            _ = try CaptureEvidence(json: json)
            return nil
        } catch {
            return error.description
        }
    }

    private func refusal(_ json: String) -> String? { refusal(Array(json.utf8)) }

    /// Parsers differ on which of two members counts: what is read would not be what was verified.
    @Test(arguments: ["photo_sha256", "metadata", "key_id", "format"])
    func `an evidence document has no member twice, however it is written`(_ member: String) throws {
        let text = try document()
        let name = "\"\(member)\":"
        #expect(text.components(separatedBy: name).count == 2)
        #expect(refusal(text) == nil)
        let escaped = "\"\(member.dropLast())\\u00\(String(try #require(member.utf8.last), radix: 16))\":"
        for other in ["\(name)\"eA==\",\(name)", "\(name) \"eA==\" , \(escaped)", "\(escaped)\"eA==\",\(name)"] {
            let forged = text.replacingOccurrences(of: name, with: other)
            #expect(refusal(forged) == Self.twice)
            #expect(refusal("{\"data\":\(forged)}") == Self.twice)
        }
    }

    @Test(arguments: [
        ("01", malformed), ("1.", malformed), ("\"\\q\"", malformed), ("\"\u{1}\"", malformed), ("[1,]", malformed),
        ("NaN", malformed), ("{\"a\":1,\"\\u0061\":2}", twice),
    ])
    func `an evidence document is strict JSON, in members that are not known as well`(
        _ value: String, _ fault: String
    ) throws {
        let text = try document()
        #expect(refusal("\(text.dropLast()),\"more\":0}") == nil)
        #expect(refusal("\(text.dropLast()),\"more\":\(value)}") == fault)
    }

    @Test func `an evidence document is one document, in UTF-8`() throws {
        let text = try document()
        for both in ["\(text.dropLast()),\"data\":\(text)}", #"{"data":{"format":1},"metadata":"eA=="}"#] {
            #expect(refusal(both) == "a document, and another one under data")
        }
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32, .utf32BigEndian] {
            let bytes = try #require(text.data(using: encoding))
            let fault = try #require(refusal(Array(bytes)))
            #expect(fault == "not UTF-8" || fault == Self.malformed, "\(encoding): \(fault)")
        }
    }

    @Test(arguments: ["", " ", "{", "}", "{\"", "{\"a", "{\"a\\", "{\"a\"", "{\"a\":", "\"a\":{}", "{}}}", "[{]"])
    func `an evidence document may be cut off anywhere`(_ text: String) {
        #expect(refusal(text) == Self.malformed)
    }

    @Test func `an evidence document ends where its JSON ends`() throws {
        let text = try document()
        for json in [text, "{\"data\":\(text)}"] {
            #expect(refusal(json + " \r\n\t") == nil)
            for garbage in ["x", "}", ",", "null", "{}", "\n{\"format\":\"capture-evidence-v1\"}", json] {
                #expect(refusal(json + garbage) == Self.malformed, "\(garbage.prefix(40))")
            }
        }
    }

    @Test(
        arguments: [
            ("{}", .memberMissing, "format is missing"),
            (#"{"format":null}"#, .memberMissing, "format must not be null"),
            (#"{"format":1}"#, .memberInvalid, "format must be a string"),
            ("[1]", .malformed, "not a JSON object"), ("null", .malformed, "not a JSON object"),
            (#"{"data":[1]}"#, .malformed, "not a JSON object"),
            (#"{"format":"capture-evidence-v1"}"#, .memberMissing, "result is missing"),
            (
                #"{"data":{"format":"capture-evidence-v1","result":1}}"#, .memberInvalid,
                "result has a value of another type"
            ),
        ] as [(String, EvidenceError.Code, String)])
    func `an evidence document refuses what is no evidence, and says why`(
        _ json: String, _ code: EvidenceError.Code, _ description: String
    ) {
        let fault = #expect(throws: EvidenceError.self) { try CaptureEvidence(json: Array(json.utf8)) }
        #expect(fault?.code == code && fault?.description == description)
    }

    /// Whoever reads it is told to take a newer release, not which members a newer form lacks or adds.
    @Test func `an evidence document of another format is told from rubbish before its members are looked at`() {
        let more = (0..<100).map { #","\#($0)":{}"# }.joined()
        for json in [#"{"format":"capture-evidence-v2"\#(more)}"#, #"{"data":{"format":"capture\u002d"\#(more)}}"#] {
            let fault = #expect(throws: EvidenceError.self) { try CaptureEvidence(json: Array(json.utf8)) }
            #expect(fault?.code == .formatUnknown && fault?.description == "format is not capture-evidence-v1")
        }
    }

    /// By its place, never by what it holds.
    @Test(arguments: [
        (#""name":"device""#, #""name":7"#, "result.checks[0].name has a value of another type"),
        (#""name":"device","#, "", "result.checks[0].name is missing"),
        (#""outcome":"pass""#, #""outcome":null"#, "result.checks[0].outcome must not be null"),
        (#""counter":1,"#, #""counter":-1,"#, "result.counter has a value out of range"),
        (#""counter":1,"#, #""counter":4294967296,"#, "result.counter has a value out of range"),
        (#""counter":1,"#, #""counter":"1","#, "result.counter has a value of another type"),
    ])
    func `an evidence document names the member that is wrong`(old: String, new: String, fault: String) throws {
        let fixture = try EvidenceFixture()
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2)) {
            $0.checks.insert(Check(.device, .pass), at: 0)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let text = String(decoding: try encoder.encode(evidence), as: UTF8.self)
        let other = text.replacingOccurrences(of: old, with: new)
        #expect(refusal(text) == nil && other != text)
        #expect(refusal(other) == fault && refusal("{\"data\":\(other)}") == fault)
    }

    @Test func `an evidence document is not larger than it can be`() {
        let long = [UInt8](repeating: 0x20, count: CaptureEvidence.bytesMax + 1)
        let fault = #expect(throws: EvidenceError.self) { try CaptureEvidence(json: long) }
        #expect(fault?.code == .tooLarge && fault?.description == "more than \(CaptureEvidence.bytesMax) bytes")
    }
}
