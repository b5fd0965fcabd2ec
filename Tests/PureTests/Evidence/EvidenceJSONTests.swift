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

    @Test func `an evidence document refuses what is no evidence`() {
        for json in ["{}", "[1]", "{\"format\":\"capture-evidence-v2\"}", "null"] {
            #expect(refusal(json) == "not a document of capture-evidence-v1", "\(json)")
        }
        let long = [UInt8](repeating: 0x20, count: CaptureEvidence.bytesMax + 1)
        #expect(refusal(long) == "more than \(CaptureEvidence.bytesMax) bytes")
    }
}
