import CaptureInspection
import CaptureModel
import DeviceSimulator
import Foundation
import Testing

@Suite struct CaptureMetadataTests {
    static let whole = """
        {"captured_at": "2026-03-14T09:26:53.589Z", "device_model": "iPhone 17 Pro",
         "depth_map_dimensions": {"width": 256, "height": 192},
         "photo_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         "location": {"latitude": 48.1, "longitude": 11.6}, "binding": "framed-v2", "something": ["new"]}
        """

    @Test func `every field is read`() throws {
        let metadata = try CaptureMetadata.parse(Array(Self.whole.utf8))
        #expect(metadata.capturedAt.rfc3339 == "2026-03-14T09:26:53.589Z")
        #expect(metadata.deviceModel == "iPhone 17 Pro")
        #expect(metadata.depthDimensions == DepthDimensions(width: 256, height: 192))
        #expect(metadata.photoHash == SHA256Digest.hash(Array("test".utf8)))
        #expect(metadata.binding == .framedV2)
    }

    @Test func `what is optional may be missing or null`() throws {
        for more in ["", #", "photo_hash": null, "location": null, "binding": null"#] {
            let metadata = try CaptureMetadata.parse(Array(Self.document(more).utf8))
            #expect(metadata.photoHash == nil && metadata.binding == nil)
        }
    }

    @Test(arguments: [
        "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=", "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
        "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08",
    ])
    func `the hash may be written in three ways`(text: String) throws {
        let metadata = try CaptureMetadata.parse(Array(Self.document(", \"photo_hash\": \"\(text)\"").utf8))
        #expect(metadata.photoHash == SHA256Digest.hash(Array("test".utf8)))
    }

    @Test(arguments: [
        ("", "metadata"), ("{", "metadata"), ("[]", "metadata"), ("null", "metadata"), ("\u{0}", "metadata"),
        ("{}", "captured_at"),
        (#"{"captured_at": 5}"#, "captured_at"),
        (#"{"captured_at": null}"#, "captured_at"),
        (document(at: "yesterday"), "captured_at"),
        (document(model: ""), "device_model"),
        (document(model: "a\\u0007b"), "device_model"),
        (document(model: "a\\u0085b"), "device_model"),
        (document(model: String(repeating: "m", count: 65)), "device_model"),
        (document(size: #""256x192""#), "depth_map_dimensions"),
        (document(size: #"{"width": 256}"#), "depth_map_dimensions.height"),
        (document(size: #"{"width": 0, "height": 192}"#), "depth_map_dimensions"),
        (document(size: #"{"width": 4097, "height": 1}"#), "depth_map_dimensions"),
        (document(size: #"{"width": 1, "height": 4097}"#), "depth_map_dimensions"),
        (document(size: #"{"width": 4096, "height": 4096}"#), "depth_map_dimensions"),
        (document(size: #"{"width": 1280, "height": 1025}"#), "depth_map_dimensions"),
        (document(size: #"{"width": 1.5, "height": 1}"#), "depth_map_dimensions"),
        (document(size: #"{"width": 1e300, "height": -1}"#), "depth_map_dimensions"),
        (document(#", "photo_hash": "abc""#), "photo_hash"),
        (document(#", "photo_hash": 1"#), "photo_hash"),
        (document(#", "binding": "concat-v9""#), "binding"),
        (document(", \"more\": \(String(repeating: "[", count: 9))\(String(repeating: "]", count: 9))"), "metadata"),
        (document(", \"more\": \"\(String(repeating: "x", count: 20_000))\""), "metadata"),
    ])
    func `an error names its field`(json: String, field: String) {
        let error = #expect(throws: MetadataError.self) { try CaptureMetadata.parse(Array(json.utf8)) }
        #expect(error?.field == field)
    }

    @Test(arguments: [
        (document(at: "2026-06-30T23:59:60Z"), "with no leap second"),
        (document(at: "2026-03-14T09:26:53.\(String(repeating: "1", count: 20))Z"), "of at most 40 bytes"),
        (document(model: "a\\u0007b"), "without control characters"),
        (document(size: #"{"width": 1.5, "height": 1}"#), "whole numbers"),
    ])
    func `an error says what its value lacks, short and of its type as it is`(json: String, words: String) {
        let error = #expect(throws: MetadataError.self) { try CaptureMetadata.parse(Array(json.utf8)) }
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `a device's model and a depth map may be as large as their limits`() throws {
        let model = String(repeating: "m", count: 64)
        let size = #"{"width": 1280, "height": 1024}"#
        let metadata = try CaptureMetadata.parse(Array(Self.document(model: model, size: size).utf8))
        #expect(metadata.deviceModel == model && metadata.depthDimensions.values == MetadataLimits().depthValuesMax)
    }

    @Test func `brackets in texts are no nesting`() throws {
        let text = String(repeating: "[", count: 100) + "\\\"{{{{{{{{{"
        let metadata = try CaptureMetadata.parse(Array(Self.document(", \"note\": \"\(text)\"").utf8))
        #expect(metadata.capturedAt == Timestamp(rfc3339: "2026-03-14T09:26:53Z"))
    }

    @Test(arguments: [
        (#", "captured_at": "1999-03-14T09:26:53Z""#, "must not have a member twice"),
        (#", "\u0063aptured_at": "1999-03-14T09:26:53Z""#, "must not have a member twice"),
        (#", "more": {"a": 1, "a": 2}"#, "must not have a member twice"),
        (#", "more": 01"#, "must be JSON (RFC 8259) in UTF-8"), (#", "more": 1."#, "must be JSON (RFC 8259) in UTF-8"),
        (#", "more": "\q""#, "must be JSON (RFC 8259) in UTF-8"), (", ", "must be JSON (RFC 8259) in UTF-8"),
        (", \"more\": \"\u{1}\"", "must be JSON (RFC 8259) in UTF-8"),
        (#", "more": ["\ud800"]"#, "must not have a text with half a surrogate pair"),
        (#", "place\udc00": 1"#, "must not have a text with half a surrogate pair"),
        (#", "more": 1e999"#, "must not have a number too large"),
    ])
    func `what readers may read otherwise is refused, in members that are not known as well`(
        more: String, message: String
    ) {
        let error = #expect(throws: MetadataError.self) {
            try CaptureMetadata.parse(Array(Self.document(more).utf8))
        }
        #expect(error?.field == "metadata" && error?.message == message)
    }

    /// Expects bytes to be refused as no JSON in UTF-8.
    private func expectNoJSON(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: MetadataError.self, sourceLocation: sourceLocation) {
            try CaptureMetadata.parse(bytes)
        }
        #expect(
            error?.description == "metadata: must be JSON (RFC 8259) in UTF-8", sourceLocation: sourceLocation)
    }

    @Test func `other encodings and byte order marks are refused`() throws {
        let text = Self.document()
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian] {
            expectNoJSON(Array(try #require(text.data(using: encoding))))
        }
        expectNoJSON([0xEF, 0xBB, 0xBF] + Array(text.utf8))
    }

    @Test func `numbers and escapes as JSON has them are taken`() throws {
        let size = #"{"width": 2.56E+2, "height": 192.0}"#
        let more = #", "more": [1e300, -0.0e-1, "\ud83d\ude00\/"], "note\u0021": 1"#
        let metadata = try CaptureMetadata.parse(Array(Self.document(more, size: size).utf8))
        #expect(metadata.depthDimensions == DepthDimensions(width: 256, height: 192))
    }

    @Test func `text that is not UTF-8 is refused`() {
        let invalid = Array(Self.document(", \"more\": \"#\"").utf8).map { $0 == UInt8(ascii: "#") ? 0xFF : $0 }
        expectNoJSON(invalid)
        expectNoJSON(Array(Self.whole.utf8).map { $0 == UInt8(ascii: "i") ? 0xFF : $0 })
    }

    @Test func `damaged metadata are read or refused`() {
        var (read, refused) = (0, 0)
        for seed in 0..<1_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var bytes = Array(Self.whole.utf8)
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            do throws(MetadataError) {
                _ = try CaptureMetadata.parse(bytes)
                read += 1
            } catch {
                #expect(!error.field.isEmpty)
                refused += 1
            }
        }
        #expect(read > 0 && refused > read, "\(read) read, \(refused) refused")
    }

    /// Metadata with all that is needed, and more.
    static func document(
        _ more: String = "", at: String = "2026-03-14T09:26:53Z", model: String = "iPhone",
        size: String = #"{"width": 256, "height": 192}"#
    ) -> String {
        #"{"captured_at": "\#(at)", "device_model": "\#(model)", "depth_map_dimensions": \#(size)\#(more)}"#
    }
}
