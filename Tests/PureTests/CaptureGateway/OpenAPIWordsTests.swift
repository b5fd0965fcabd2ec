import CaptureModel
import TestSupport
import Testing

@testable import CaptureGateway

/// Somebody writes a client from it, and from nothing else.
@Suite struct `What the API's description says in words` {
    private static func document() throws -> JSONValue {
        try JSONValue(json: DescribedAnswers.document())
    }

    @Test func `the description says what the streams' events are called and carry`() throws {
        let paths = try Self.document()["paths"]
        func words(_ path: String) throws -> String {
            try #require(paths[path]["get"]["responses"]["200"]["description"].string)
        }
        let one = try words("/api/v1/captures/{id}/events")
        for word in ["`status`", "`data`", "CaptureStatus", "Last-Event-ID"] { #expect(one.contains(word)) }
        let all = try words("/api/v1/events")
        for word in ["`hello`", "`changes`", "`gap`", "capture_id"] { #expect(all.contains(word)) }
    }

    @Test func `the description says what a capture's signature is over`() throws {
        let schemas = try Self.document()["components"]["schemas"]
        let binding = try #require(schemas["Metadata"]["properties"]["binding"]["description"].string)
        #expect(binding.contains(#"`capture-v2\n<hex sha256(photo)>"#))
        #expect(binding.contains("SHA-256(photo ‖ depth map)"))
        let assertion = try #require(schemas["Upload"]["properties"]["assertion"]["description"].string)
        #expect(assertion.contains("clientDataHash") && assertion.contains("authenticatorData"))
    }

    /// Generators of clients go by it: what is an object to them is written anew, in other bytes than were signed.
    @Test func `the description has clients send each part of an upload as the bytes that it is`() throws {
        let document = try Self.document()
        let schemas = document["components"]["schemas"]
        let parts = schemas["Upload"]["properties"].members
        #expect(Set(parts.keys) == Set(BundlePart.allCases.map(\.rawValue)))
        for (name, schema) in parts {
            #expect(schema["type"] == "string" && schema["format"] == "binary", "\(name)")
        }
        let metadata = schemas["Upload"]["properties"]["metadata"]
        #expect(metadata["contentSchema"]["$ref"] == "#/components/schemas/Metadata")
        #expect(metadata["description"].string?.contains("the very bytes that were signed") == true)
        let body = document["paths"]["/api/v1/captures"]["post"]["requestBody"]
        let encoding = body["content"]["multipart/form-data"]["encoding"]
        #expect(encoding["metadata"]["contentType"].string?.hasPrefix("application/octet-stream") == true)
    }

    /// Generators of clients write a default into what they send.
    @Test func `the description has no client name a binding that the device did not sign`() throws {
        let binding = try Self.document()["components"]["schemas"]["Metadata"]["properties"]["binding"]
        #expect(binding.members["enum"] != nil && binding.members["default"] == nil)
        #expect(binding["description"].string?.contains("Metadata that name none are of `concat-v1`.") == true)
    }

    @Test func `the description says with which counter a key begins, of captures and of requests`() throws {
        let components = try Self.document()["components"]
        let assertion = components["schemas"]["Upload"]["properties"]["assertion"]["description"].string
        #expect(assertion?.contains("the first is 1 or more") == true)
        let signature = components["securitySchemes"]["deviceSignature"]["description"].string
        #expect(signature?.contains("the first is 1 or more") == true)
    }

    @Test func `the description says how many a page has that says no limit, and which answer another method gets`()
        throws
    {
        let document = try Self.document()
        for path in ["/api/v1/captures", "/api/v1/devices", "/api/v1/devices/{id}/affected", "/api/v1/audit"] {
            let limits = document["paths"][path]["get"]["parameters"].elements.filter { $0["name"].string == "limit" }
            #expect(limits.count == 1 && limits.first["schema"]["default"] == .whole(50), "\(path)")
        }
        #expect(document["info"]["description"].string?.contains("METHOD_NOT_ALLOWED") == true)
    }

    @Test func `the description has no field of one route in the example of all`() throws {
        let answer = try Self.document()["components"]["responses"]["VALIDATION_ERROR"]
        let examples = answer["content"]["application/json"]["examples"].members
        #expect(examples.count == 1 && !"\(examples)".contains("after"))
    }
}
