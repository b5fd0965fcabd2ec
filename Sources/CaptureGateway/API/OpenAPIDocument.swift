import AppAttest
import CaptureModel
import HTTPTypes

/// The API as an OpenAPI 3.1 document, made of ``Operation`` and ``APIError/Code``, so that it cannot leave one out.
struct OpenAPIDocument: Sendable {
    let configuration: GatewayConfiguration
    private let examples: OpenAPIExamples

    init(configuration: GatewayConfiguration) throws {
        self.configuration = configuration
        examples = try OpenAPIExamples()
    }

    /// The whole document.
    var tree: JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Capture gateway",
                "version": .string(ProcessorVersion.current),
                "description": .string(Self.introduction),
            ],
            "paths": paths,
            "components": [
                "securitySchemes": Self.securitySchemes,
                "schemas": OpenAPISchemas(configuration: configuration).tree,
                "headers": .object(Dictionary(uniqueKeysWithValues: Self.headers.map { ($0.key.rawName, $0.value) })),
                "responses": failures,
            ],
        ]
    }

    private static let introduction = """
        Devices register an attested key, upload captures that they have signed with it, and ask what became of them. \
        Every JSON answer has `meta.request_id`, which is also the header `X-Request-Id`; a failure has `error.code`. \
        Where a field is at fault, `error.details.field` names it. HEAD is answered wherever GET is, without a body, and \
        for a stream of events without a length; another method than a path has is answered as \
        `#/components/responses/METHOD_NOT_ALLOWED`. A GET under /api/ takes no other parameters in its query than those \
        listed, each once and with a value; a `+` is written %2B.
        """

    private var paths: JSONValue {
        var paths: [String: JSONValue] = [:]
        for operation in Operation.allCases {
            let method = operation.method.rawValue.lowercased()
            paths[operation.path] = (paths[operation.path] ?? [:]).adding([method: describe(operation)])
        }
        return .object(paths)
    }

    private func describe(_ operation: Operation) -> JSONValue {
        let shown = examples.answers[operation] ?? [:]
        var responses: [String: JSONValue] = [:]
        for (status, answer) in operation.successes {
            responses[status] = OpenAPIExamples.adding(shown[status] ?? [:], to: answer)
        }
        for (status, codes) in Dictionary(grouping: operation.failures, by: \.status.code) {
            let key = String(status)
            if let success = responses[key] {
                responses[key] = Self.either(success, or: failure(codes))
            } else if codes.count == 1 {
                responses[key] = ["$ref": .string("#/components/responses/\(codes[0].rawValue)")]
            } else {
                responses[key] = failure(codes)
            }
        }
        var description: JSONValue = [
            "operationId": .string(operation.rawValue),
            "summary": .string(operation.summary),
            "parameters": .array(operation.parameters(configuration.reading)),
            "security": .array(operation.security),
            "responses": .object(responses),
        ]
        if let body = operation.requestBody { description = description.adding(["requestBody": body]) }
        return description
    }

    /// One answer for each code, and one for several codes of the same status.
    private var failures: JSONValue {
        .object(Dictionary(uniqueKeysWithValues: APIError.Code.allCases.map { ($0.rawValue, failure([$0])) }))
    }

    private func failure(_ codes: [APIError.Code]) -> JSONValue {
        let names = codes.map(\.rawValue).sorted()
        var headers: [HTTPField.Name] = [.requestID]
        if codes.contains(where: { [.notSettled, .rateLimited, .queueFull, .unavailable].contains($0) }) {
            headers.append(.retryAfter)
        }
        if codes.contains(where: { $0.status == .unauthorized }) { headers.append(.wwwAuthenticate) }
        if codes.contains(.methodNotAllowed) { headers.append(.allow) }
        let answer: JSONValue = [
            "description": .string(names.joined(separator: ", ")),
            "headers": Self.headerReferences(headers),
            "content": Self.json([
                "allOf": [
                    OpenAPISchemas.reference("Failure"),
                    ["properties": ["error": ["properties": ["code": ["enum": .array(names.map { .string($0) })]]]]],
                ]
            ]),
        ]
        let shown = examples.failures.filter { codes.contains($0.key) }.map { ($0.key.rawValue, $0.value) }
        return OpenAPIExamples.adding(Dictionary(uniqueKeysWithValues: shown), to: answer)
    }

    /// An answer of a status that failures have as well, such as 503: not ready, or no connection left.
    private static func either(_ success: JSONValue, or failure: JSONValue) -> JSONValue {
        let answers: [JSONValue] = [success, failure]
        let schemas = answers.compactMap { $0["content"]?[MediaType.json.rawValue]?["schema"] }
        return success.adding(["content": json(["anyOf": .array(schemas)])])
    }

    /// The content of a body of JSON.
    static func json(_ schema: JSONValue) -> JSONValue { .object([MediaType.json.rawValue: ["schema": schema]]) }

    /// Headers of an answer by their names.
    static func headerReferences(_ names: [HTTPField.Name]) -> JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: names.map { name in
                    (name.rawName, ["$ref": .string("#/components/headers/\(name.rawName)")] as JSONValue)
                }))
    }

    private static let headers: [HTTPField.Name: JSONValue] = [
        .requestID: [
            "description": "Names the request in logs; taken over when the request has a fitting one.",
            "required": true,
            "schema": ["type": "string", "pattern": .string(RequestIdentity.pattern)],
        ],
        .retryAfter: ["description": "Seconds until another try.", "schema": OpenAPISchemas.count],
        .location: ["description": "Where the status is.", "schema": ["type": "string", "format": "uri-reference"]],
        .eTag: [
            "description": "Names this state of the capture; weak, as `meta` differs in each answer.",
            "schema": ["type": "string", "pattern": .string(EntityTag.weakPattern)],
        ],
        .wwwAuthenticate: ["description": "With each 401.", "schema": OpenAPISchemas.only(Envelope.authentication)],
        .allow: ["description": "The methods that the path takes.", "schema": OpenAPISchemas.text],
    ]

    private static let securitySchemes: JSONValue = [
        "token": [
            "type": "http", "scheme": "bearer",
            "description": .string(
                "A read-only token, which sees every capture; a token for evidence, which also reads evidence; or an "
                    + "operator's, which may also act."),
        ],
        "session": [
            "type": "apiKey", "in": "cookie", "name": .string(SessionCookie.name(isLoopback: false)),
            "description": "A login at the dashboard.",
        ],
        "deviceID": credential(.deviceID, "The device's id: a UUID."),
        "deviceTimestamp": credential(
            .deviceTimestamp, "Milliseconds since 1970, within the window around the server's time."),
        "deviceSignature": credential(
            .deviceSignature,
            "Base64 of an App Attest assertion whose clientDataHash is SHA-256 of timestamp + \"|\" + lower-case "
                + "hexadecimal SHA-256 of the body; or of a plain Ed25519 signature of that text. The counters of "
                + "assertions rise from one request to the next; the first is 1 or more."),
    ]

    /// A header by which a device shows who it is.
    private static func credential(_ name: HTTPField.Name, _ description: String) -> JSONValue {
        ["type": "apiKey", "in": "header", "name": .string(name.rawName), "description": .string(description)]
    }
}
