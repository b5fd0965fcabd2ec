import TestSupport
import Testing

@Suite("Answers against an OpenAPI document")
struct OpenAPIConformityTests {
    /// A document whose only operation answers with a value of a schema.
    private static func document(_ schema: String) -> [UInt8] {
        Array(
            """
            {
              "openapi": "3.1.0",
              "paths": {
                "/things/{id}": {"get": {"responses": {
                  "200": {
                    "headers": {"X-Count": {"required": true, "schema": {"type": "integer", "minimum": 1}}},
                    "content": {"application/json": {"schema": \(schema)}}
                  },
                  "204": {"description": "nothing"},
                  "404": {"$ref": "#/components/responses/NOT_FOUND"}
                }}},
                "/things/new": {"post": {"responses": {"204": {"description": "nothing"}}}}
              },
              "components": {
                "responses": {
                  "NOT_FOUND": {"content": {"application/json": {"schema": {"const": "none"}}}},
                  "METHOD_NOT_ALLOWED": {
                    "headers": {"Allow": {"schema": {"type": "string"}}},
                    "content": {"application/json": {"schema": {"const": "other"}}}
                  }
                },
                "schemas": {
                  "Color": {"type": "string", "enum": ["red", "green"]},
                  "Named": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
                }
              }
            }
            """.utf8)
    }

    private static let headers: [(name: String, value: String)] = [
        (name: "content-type", value: "application/json; charset=utf-8"), (name: "X-Count", value: "2"),
    ]

    /// What is wrong with an answer whose schema is the one given.
    private static func faults(
        _ body: String, as schema: String = "{}", method: String = "GET", path: String = "/things/1?x=/y",
        status: Int = 200, headers: [(name: String, value: String)] = Self.headers
    ) throws -> [String] {
        try OpenAPIConformity(document: document(schema), besides: ["/pages"]).faults(
            in: OpenAPIConformity.Answer(
                method: method, path: path, status: status, headers: headers, body: Array(body.utf8)))
    }

    /// A schema, a value, and what is wrong with it.
    struct Case: Sendable, CustomTestStringConvertible {
        let schema: String
        let body: String
        let faults: [String]

        init(_ schema: String, _ body: String, _ faults: String...) {
            (self.schema, self.body, self.faults) = (schema, body, faults)
        }

        var testDescription: String { "\(body) as \(schema)" }
    }

    private static let color = ##"{"$ref": "#/components/schemas/Color"}"##
    private static let named = ##"{"$ref": "#/components/schemas/Named"}"##
    private static let held = #"{"contentMediaType": "application/json", "contentSchema": \#(named)}"#
    private static let sized = #"{"properties": {"size": {"type": "number"}}}"#

    private static let scalars: [Case] = [
        Case(#"{"type": "string"}"#, "\"a\""), Case(#"{"type": "string"}"#, "1", "$: 1 is no string"),
        Case(#"{"type": "string"}"#, "null", "$: null is no string"),
        Case(#"{"type": ["string", "null"]}"#, "null"),
        Case(#"{"type": ["string", "null"]}"#, "true", "$: true is no string or null"),
        Case(#"{"type": "integer"}"#, "3"), Case(#"{"type": "integer"}"#, "3.5", "$: 3.5 is no integer"),
        Case(#"{"type": "number"}"#, "3"), Case(#"{"type": "number"}"#, "\"3\"", "$: '3' is no number"),
        Case(#"{"type": "boolean"}"#, "1", "$: 1 is no boolean"),
        Case(#"{"type": "null"}"#, "{}", "$: an object is no null"),
        Case(#"{"type": "object"}"#, "[]", "$: an array is no object"),
        Case(color, "\"red\""), Case(color, "\"blue\"", "$: 'blue' is not one of 'red', 'green'"),
        Case(#"{"const": "ok"}"#, "\"ok\""), Case(#"{"const": "ok"}"#, "\"fine\"", "$: 'fine' is not 'ok'"),
        Case(#"{"minimum": 0, "maximum": 9}"#, "9"), Case(#"{"minimum": 0}"#, "-1", "$: -1 is below 0"),
        Case(#"{"maximum": 9}"#, "9.5", "$: 9.5 is above 9"),
        Case(#"{"minLength": 1}"#, "\"\"", "$: the length of '' is below 1"),
        Case(#"{"maxLength": 2}"#, "\"abc\"", "$: the length of 'abc' is above 2"),
        Case(#"{"pattern": "^[0-9a-f]{2}$"}"#, "\"0f\""),
        Case(#"{"pattern": "^[0-9a-f]{2}$"}"#, "\"0fa\"", "$: '0fa' does not match ^[0-9a-f]{2}$"),
        Case(#"{"format": "date-time"}"#, "\"2026-05-28T20:26:40.000Z\""),
        Case(#"{"format": "date-time"}"#, "\"2026-02-30T20:26:40Z\"", "$: '2026-02-30T20:26:40Z' is no date-time"),
        Case(#"{"format": "uuid"}"#, "\"6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d\""),
        Case(#"{"format": "uuid"}"#, "\"6f1c9a52\"", "$: '6f1c9a52' is no uuid"),
        Case(#"{"format": "uri-reference"}"#, "\"/a b\"", "$: '/a b' is no uri-reference"),
        Case(#"{"contentEncoding": "base64"}"#, "\"AQID\""),
        Case(#"{"contentEncoding": "base64"}"#, "\"%\"", "$: '%' is no base64"),
        Case(#"{"format": "binary"}"#, "\"%\""),
    ]

    private static let trees: [Case] = [
        Case(#"{"type": "object"}"#, #"{"anything": 1}"#), Case(named, #"{"name": "a"}"#),
        Case(named, "{}", "$: has no member 'name'"),
        Case(named, #"{"name": "a", "age": 1}"#, "$.age: is not described"),
        Case(#"{"items": \#(color)}"#, #"["red", "blue"]"#, "$[1]: 'blue' is not one of 'red', 'green'"),
        Case(#"{"minItems": 1}"#, "[]", "$: the number of elements is below 1"),
        Case(#"{"maxItems": 1}"#, "[1, 2]", "$: the number of elements is above 1"),
        Case(
            #"{"properties": {"list": {"items": \#(named)}}}"#, #"{"list": [{"name": "a"}, {"name": 1, "b": 2}]}"#,
            "$.list[1].b: is not described", "$.list[1].name: 1 is no string"),
        Case(#"{"additionalProperties": {"type": "integer"}}"#, #"{"a": 1, "b": 2}"#),
        Case(#"{"additionalProperties": {"type": "integer"}}"#, #"{"a": "x"}"#, "$.a: 'x' is no integer"),
        Case(
            #"{"properties": {"a": {}}, "additionalProperties": false}"#, #"{"a": 1, "b": 2}"#,
            "$.b: may not be there"),
        Case(#"{"properties": {}, "additionalProperties": true}"#, #"{"a": 1}"#),
        Case(#"{"allOf": [\#(named), \#(sized)]}"#, #"{"name": "a", "size": 1}"#),
        Case(
            #"{"allOf": [\#(named), \#(sized)]}"#, #"{"name": "a", "size": "b", "c": 1}"#, "$.c: is not described",
            "$.size: 'b' is no number"),
        Case(#"{"anyOf": [\#(named), {"type": "null"}]}"#, "null"),
        Case(#"{"anyOf": [\#(named), {"type": "null"}]}"#, #"{"name": 1}"#, "$.name: 1 is no string"),
        Case(#"{"anyOf": [\#(named), {"type": "null"}]}"#, #"{"name": "a", "b": 1}"#, "$.b: is not described"),
        Case(#"{"anyOf": [\#(color), {"type": "null"}]}"#, "\"blue\"", "$: 'blue' is not one of 'red', 'green'"),
        Case(#"{"oneOf": [{"type": "integer"}, {"type": "string"}]}"#, "1"),
        Case(
            #"{"oneOf": [{"type": "integer"}, {"type": "number"}]}"#, "1",
            "$: fits 2 alternatives of which it may fit one"),
        Case(#"{"contentMediaType": "application/json"}"#, #""[1]""#),
        Case(#"{"contentMediaType": "application/json"}"#, #""[""#, "$: '[' is no JSON"),
        Case(held, #""{\"name\": \"a\"}""#), Case(held, #""{\"name\": 1}""#, "$.name: 1 is no string"),
        Case(##"{"$ref": "#/components/schemas/Nobody"}"##, "1", "$: #/components/schemas/Nobody leads nowhere"),
    ]

    @Test(arguments: scalars + trees) func `each keyword is held to`(_ item: Case) throws {
        #expect(try Self.faults(item.body, as: item.schema) == item.faults)
    }

    @Test(arguments: [
        (#"{"properties": {"a": {"multipleOf": 2}}}"#, "multipleOf"), (#"{"format": "email"}"#, "format email"),
        (#"{"items": {"contentEncoding": "base32"}}"#, "contentEncoding base32"),
        (#"{"contentMediaType": "image/jpeg"}"#, "contentMediaType image/jpeg"),
        (#"{"contentMediaType": "application/json", "contentSchema": {"not": {}}}"#, "not"),
        (#"{"anyOf": [{"not": {}}]}"#, "not"), (#"{"pattern": "("}"#, "pattern ("),
    ])
    func `a document that says what nobody would check is refused`(schema: String, name: String) throws {
        var unchecked: [String] = []
        do {
            _ = try OpenAPIConformity(document: Self.document(schema))
        } catch let error as OpenAPIConformity.Unchecked {
            unchecked = error.names
        }
        #expect(unchecked == [name])
    }

    @Test func `a status that is not described is a fault`() throws {
        #expect(try Self.faults("1", status: 418) == ["status: 418 is not one of 200, 204, 404"])
        #expect(try Self.faults("\"none\"", status: 404) == [])
        #expect(try Self.faults("\"x\"", status: 404) == ["$: 'x' is not 'none'"])
    }

    @Test func `a body is of the type that is described, or not there`() throws {
        let text = [(name: "Content-Type", value: "text/plain"), (name: "X-Count", value: "2")]
        #expect(try Self.faults("1", headers: text) == ["Content-Type: 'text/plain' is not one of application/json"])
        #expect(try Self.faults("{") == ["$: the body is no JSON"])
        #expect(try Self.faults("") == ["$: the body is no JSON"])
        #expect(try Self.faults("", status: 204, headers: []) == [])
        #expect(try Self.faults("1", status: 204, headers: []) == ["$: a body is not described"])
        #expect(try Self.faults("", method: "HEAD") == [])
        #expect(try Self.faults("1", method: "HEAD") == ["$: HEAD has a body"])
    }

    @Test(
        arguments: [
            (nil, nil, ["X-Count: the header is missing"]), ("x-count", "0", ["X-Count: 0 is below 1"]),
            ("X-Count", "some", ["X-Count: 'some' is no integer"]),
        ] as [(String?, String?, [String])])
    func `a header is there as it is described`(name: String?, value: String?, faults: [String]) throws {
        var headers = [(name: "Content-Type", value: "application/json")]
        if let name, let value { headers.append((name: name, value: value)) }
        #expect(try Self.faults("1", headers: headers) == faults)
    }

    @Test(arguments: [("Date", false), ("retry-after", true), ("ETag", true), ("Location", true), ("Allow", true)])
    func `a header that callers act on is described`(name: String, isFault: Bool) throws {
        let headers = Self.headers + [(name: name, value: "1")]
        #expect(try Self.faults("1", headers: headers).isEmpty != isFault)
    }

    @Test func `what is no operation has its own answers`() throws {
        #expect(try Self.faults("\"none\"", path: "/nowhere", status: 404) == [])
        #expect(try Self.faults("\"x\"", path: "/nowhere", status: 404) == ["$: 'x' is not 'none'"])
        let wrong = ["status: 200 is not 404, and the document has no such operation"]
        #expect(try Self.faults("1", path: "/things/1/2") == wrong)
        let headers = Self.headers + [(name: "Allow", value: "POST")]
        // The path without parameters goes before the one with.
        #expect(try Self.faults("\"other\"", path: "/things/new", status: 405, headers: headers) == [])
        #expect(try Self.faults("x", path: "/pages/1", status: 500) == [])
    }
}
