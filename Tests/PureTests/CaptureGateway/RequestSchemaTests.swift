import CaptureInspection
import CaptureModel
import Foundation
import Testing

@testable import CaptureGateway
@testable import TestSupport

/// A client that checks its requests against the document must not be refused for anything that the document can say.
@Suite struct `Requests against the OpenAPI document` {
    private let limits: MetadataLimits
    private let checker: SchemaChecker

    init() throws {
        let configuration = try GatewayFixture().configuration
        limits = configuration.uploads.inspection.metadata
        let document = try JSONEncoder().encode(OpenAPIDocument(configuration: configuration).tree)
        checker = SchemaChecker(document: try JSONValue(json: document))
    }

    private func schema(_ member: String, of request: String) throws -> JSONValue {
        try #require(checker.document["components"]["schemas"][request]["properties"][member])
    }

    @Test(arguments: ["Registration", "CheckedRegistration", "ReattestationRequest", "EnrolmentAttestationRequest"])
    func `a model is what registrations take`(request: String) throws {
        let schema = try schema("model", of: request)
        let long = String(repeating: "x", count: 64)
        let cases = [
            ("iPhone17,1", true), (" ~", true), (long, true), ("", false), ("\(long)x", false), ("Gerät", false),
            ("a\tb", false), ("a\u{7F}", false),
        ]
        for (text, isTaken) in cases {
            #expect(((try? RegistrationClaim.model(text)) != nil) == isTaken, "\(text)")
            #expect(checker.faults(of: .string(text), against: schema).isEmpty == isTaken, "\(text)")
        }
    }

    private static func size(_ width: Int64, _ height: Int64) -> JSONValue {
        ["width": .whole(width), "height": .whole(height)]
    }

    private static let texts: [(member: String, text: String, isTaken: Bool)] = [
        ("device_model", "iPhone 17 Pro", true), ("device_model", "Gerät", true), ("device_model", "", false),
        ("device_model", String(repeating: "x", count: 64), true),
        ("device_model", String(repeating: "x", count: 65), false), ("device_model", "a\u{0}b", false),
        ("device_model", "a\u{7F}", false), ("device_model", "a\u{85}b", false),
        ("photo_hash", String(repeating: "0f", count: 32), true),
        ("photo_hash", String(repeating: "0F", count: 32), true),
        ("photo_hash", String(repeating: "+/", count: 21) + "w=", true),
        ("photo_hash", String(repeating: "_-", count: 21) + "w", true),
        ("photo_hash", String(repeating: "f", count: 63), false),
        ("photo_hash", String(repeating: "A", count: 44), false), ("photo_hash", "", false),
        ("binding", "framed-v2", true), ("binding", "other", false),
        ("captured_at", "2026-03-14t09:26:53+01:00", true), ("captured_at", "2016-12-31T23:59:60Z", false),
        ("captured_at", "2026-03-14T09:26:53.\(String(repeating: "9", count: 19))Z", true),
        ("captured_at", "2026-03-14T09:26:53.\(String(repeating: "9", count: 20))Z", false),
    ]
    private static let sizes: [(width: Int64, height: Int64, isTaken: Bool)] = [
        (1, 1, true), (4096, 320, true), (0, 1, false), (1, 4097, false),
    ]

    /// The member of the metadata that is refused.
    private func refused(_ member: String, _ value: JSONValue) throws -> String? {
        var metadata: JSONValue? = [
            "captured_at": "2026-03-14T09:26:53Z", "device_model": "iPhone17,1",
            "depth_map_dimensions": Self.size(256, 192),
        ]
        metadata[member] = value
        do {
            _ = try CaptureMetadata.parse(Array(JSONEncoder().encode(metadata)), limits: limits)
            return nil
        } catch let error as MetadataError {
            return error.field
        }
    }

    @Test func `metadata are what uploads take`() throws {
        let texts = Self.texts.map { ($0.member, JSONValue.string($0.text), $0.isTaken) }
        let sizes = Self.sizes.map { ("depth_map_dimensions", Self.size($0.width, $0.height), $0.isTaken) }
        for (member, value, isTaken) in texts + sizes {
            #expect(try refused(member, value) == (isTaken ? nil : member), "\(member): \(value)")
            let faults = checker.faults(of: value, against: try schema(member, of: "Metadata"))
            #expect(faults.isEmpty == isTaken, "\(member): \(value)")
        }
    }

    @Test func `what no schema can say of metadata is in the descriptions`() throws {
        let limits = [
            ("device_model", JSONValue.string(String(repeating: "é", count: 33)), "At most 64 bytes"),
            ("depth_map_dimensions", Self.size(4096, 321), "at most 1310720 values"),
        ]
        for (member, value, words) in limits {
            #expect(try refused(member, value) == member)
            let schema = try schema(member, of: "Metadata")
            #expect(checker.faults(of: value, against: schema).isEmpty)
            #expect(schema["description"]?.string?.contains(words) == true, "\(member)")
        }
        let moment = try schema("captured_at", of: "Metadata")
        #expect(moment["description"]?.string?.contains("without a leap second") == true)
        #expect(moment["maxLength"]?.integer == 40)
    }
}
