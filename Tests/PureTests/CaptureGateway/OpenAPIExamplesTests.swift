import CaptureInspection
import CaptureModel
import CaptureStore
import Evidence
import FoundationEssentials
import HTTPTypes
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Examples in the API's description", .timeLimit(.minutes(1)))
struct OpenAPIExamplesTests {
    private struct Example {
        let operation: Operation
        let status: Int
        let name: String
        let value: JSONValue

        var title: String { "\(operation) \(status) \(name)" }

        /// What is wrong with it as an answer.
        func faults(_ value: JSONValue?) throws -> [String] {
            let method = NIOHTTP1.HTTPMethod(rawValue: operation.method.rawValue)
            return try DescribedAnswers.faults(
                method, operation.path, status: status,
                headers: ["Content-Type": Envelope.contentType, "X-Request-Id": "a"],
                body: Array(try JSONEncoder().encode(value)))
        }
    }

    /// Those of every operation, also in answers that are described once for all.
    private static func examples() throws -> [Example] {
        let document = try JSONValue(json: DescribedAnswers.document())
        return Operation.allCases.flatMap { operation -> [Example] in
            let item = document["paths"][operation.path][operation.method.rawValue.lowercased()]
            return item["responses"].members.sorted { $0.key < $1.key }.flatMap { status, answer -> [Example] in
                let name = answer["$ref"]?.string?.split(separator: "/").last.map(String.init)
                let response = name.flatMap { document["components"]["responses"][$0] } ?? answer
                let shown = response["content"]["application/json"]["examples"].members
                return shown.sorted { $0.key < $1.key }.compactMap { name, example in
                    example["value"].map { value in
                        Example(operation: operation, status: Int(status) ?? 0, name: name, value: value)
                    }
                }
            }
        }
    }

    @Test func `examples in the API's description are there for the main answers`() throws {
        let titles = Set(try Self.examples().map(\.title))
        for title in [
            "uploadCapture 202 accepted", "captureStatus 200 verified", "captureStatus 200 put_off",
            "listCaptures 200 page", "captureProvenance 200 verified", "captureEvidence 200 shortened",
            "captureStatus 404 CAPTURE_NOT_FOUND", "listCaptures 400 VALIDATION_ERROR",
            "issueChallenge 429 RATE_LIMITED",
        ] {
            #expect(titles.contains(title), "\(title)")
        }
    }

    @Test func `examples in the API's description are as their schemas say, and would not be with another member`()
        throws
    {
        for example in try Self.examples() {
            #expect(try example.faults(example.value) == [], "\(example.title)")
            var other: JSONValue? = example.value
            other["meta"]["news"] = true
            #expect(try example.faults(other) == ["$.meta.news: is not described"], "\(example.title)")
        }
    }

    @Test func `examples in the API's description have metadata that say what the result beside them says`() throws {
        let result = ExampleRecord.verified
        let bytes = try #require(ExampleRecord.evidence.metadata)
        let metadata = try CaptureMetadata.parse(bytes)
        #expect(metadata.binding == result.binding && metadata.capturedAt == result.capturedAt)
        #expect(SHA256Digest.hash(bytes) == result.metadataDigest)
    }

    @Test func `examples in the API's description tell what the words beside them say`() throws {
        let examples = try Self.examples()
        func data(_ title: String) throws -> JSONValue {
            try #require(examples.first { $0.title == title }?.value["data"], "\(title)")
        }
        #expect(try data("captureStatus 200 verified")["status"]?.string == "verified")
        let putOff = try data("captureStatus 200 put_off")
        #expect(putOff["status"]?.string == "retrying" && putOff["next_attempt_at"]?.string != nil)
        let next = try #require(try data("listCaptures 200 page")["next"]?.string)
        #expect(CapturePosition(next) != nil)
        let evidence = try JSONEncoder().encode(try data("captureEvidence 200 shortened"))
        #expect(try CaptureEvidence(json: Array(evidence)).unsignedMembers.contains("result.received_at"))
    }
}
