import CaptureModel
import CaptureOperations
import FoundationEssentials

/// Examples of answers for the API's description: the model's own types, written as the routes write them, so that they
/// are what gateways answer.
struct OpenAPIExamples: Sendable {
    /// Examples by name, of an operation and its status.
    let answers: [Operation: [String: [String: JSONValue]]]
    /// One for some of the codes, wherever an operation may fail with them.
    let failures: [APIError.Code: JSONValue]

    /// The request id in each of them.
    private static let requestID = "4f0c6d1e-6a53-4b0e-9d43-2f7a1c8e5b90"

    /// Writes them.
    init() throws {
        let (verified, putOff) = (ExampleRecord.verified, ExampleRecord.putOff)
        answers = [
            .uploadCapture: ["202": ["accepted": try Self.success(UploadRoute.Answer(ExampleRecord.accepted))]],
            .captureStatus: [
                "200": [
                    "verified": try Self.success(StatusDocument(verified)),
                    "put_off": try Self.success(StatusDocument(putOff, for: .readToken)),
                ]
            ],
            .listCaptures: ["200": ["page": try Self.success(ListingRoute.Answer(ExampleRecord.page))]],
            .captureProvenance: ["200": ["verified": try Self.success(ProvenanceDocument(verified))]],
            .captureEvidence: ["200": ["shortened": try Self.success(ExampleRecord.evidence)]],
        ]
        let errors: [APIError] = [
            .captureNotFound, APIError(.validationError, "the request is malformed"),
            APIError(.notSettled, "the capture has no result yet", retryAfter: .seconds(1)),
            APIError(.rateLimited, RateSubject.challenge.refusal, retryAfter: .seconds(30)),
        ]
        failures = try errors.reduce(into: [:]) { failures, error in
            let bytes = try Envelope.failureBytes(error, requestID: Self.requestID, now: ExampleRecord.now)
            failures[error.code] = try JSONValue(json: bytes)
        }
    }

    private static func success(_ data: some Encodable) throws -> JSONValue {
        try JSONValue(json: Envelope.successBytes(data, requestID: requestID, now: ExampleRecord.now))
    }

    /// An answer in JSON with examples of it.
    static func adding(_ examples: [String: JSONValue], to answer: JSONValue) -> JSONValue {
        guard !examples.isEmpty, let media = answer["content"]?[MediaType.json.rawValue] else { return answer }
        let shown = examples.mapValues { ["value": $0] as JSONValue }
        let content = [MediaType.json.rawValue: media.adding(["examples": .object(shown)])]
        return answer.adding(["content": .object(content)])
    }
}
