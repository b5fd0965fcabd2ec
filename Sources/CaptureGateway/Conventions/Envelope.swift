import CaptureModel
import HTTPTypes
import Hummingbird
import NIOCore

/// The shape of every JSON answer: `data` or `error`, and `meta`.
enum Envelope {
    /// The `Content-Type` of every answer in the envelope.
    static let contentType = "application/json; charset=utf-8"

    /// The `WWW-Authenticate` of every 401.
    static let authentication = "Bearer"

    /// Writes `{"data": …, "meta": {"request_id", "timestamp"}}`.
    static func success(
        _ data: some Encodable & Sendable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:],
        context: GatewayContext, now: Timestamp
    ) throws(APIError) -> Response {
        let meta = Meta(requestID: context.requestID, timestamp: now.rfc3339)
        return try response(Success(data: data, meta: meta), status: status, headers: headers)
    }

    /// Writes `{"error": {"code", "message", "details"?}, "meta": …}`, with `Retry-After` where it is known.
    static func failure(
        _ error: APIError, headers: HTTPFields = [:], context: GatewayContext, now: Timestamp
    ) throws(APIError) -> Response {
        var headers = headers
        if let retryAfter = error.retryAfter { headers[.retryAfter] = String(wholeSeconds(retryAfter)) }
        if error.code.status == .unauthorized { headers[.wwwAuthenticate] = authentication }
        let failure = failure(error, requestID: context.requestID, now: now)
        return try response(failure, status: error.code.status, headers: headers)
    }

    /// The bytes of a failure for what never became a request.
    static func failureBytes(_ error: APIError, requestID: String, now: Timestamp) throws(APIError) -> [UInt8] {
        Array(try AnswerJSON.encoded(failure(error, requestID: requestID, now: now)))
    }

    /// The bytes of an answer for what describes answers.
    static func successBytes(_ data: some Encodable, requestID: String, now: Timestamp) throws(APIError) -> [UInt8] {
        let meta = Meta(requestID: requestID, timestamp: now.rfc3339)
        return Array(try AnswerJSON.encoded(Success(data: data, meta: meta)))
    }

    private static func failure(_ error: APIError, requestID: String, now: Timestamp) -> Failure {
        let details = Details(
            field: error.field, reason: error.reason, expectedStep: error.expectedStep,
            deviceID: error.deviceID.map { "\($0)" })
        return Failure(
            error: .init(
                code: error.code.rawValue, message: error.message, details: details.isEmpty ? nil : details),
            meta: Meta(requestID: requestID, timestamp: now.rfc3339))
    }

    /// Whole seconds, rounded up and at least one (RFC 9110 section 10.2.3).
    static func wholeSeconds(_ duration: Duration) -> Int { max(1, duration.begun(.seconds(1))) }

    private static func response(
        _ value: some Encodable, status: HTTPResponse.Status, headers: HTTPFields
    ) throws(APIError) -> Response {
        var headers = headers
        headers[.contentType] = contentType
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        let bytes = try AnswerJSON.encoded(value)
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private struct Meta: Encodable {
        var requestID: String
        var timestamp: String

        enum CodingKeys: String, CodingKey {
            case requestID = "request_id"
            case timestamp
        }
    }

    private struct Success<Payload: Encodable>: Encodable {
        var data: Payload
        var meta: Meta
    }

    private struct Failure: Encodable {
        struct Body: Encodable {
            var code: String
            var message: String
            var details: Details?
        }

        var error: Body
        var meta: Meta
    }

    private struct Details: Encodable {
        var field: String?
        var reason: String?
        var expectedStep: String?
        var deviceID: String?

        enum CodingKeys: String, CodingKey {
            case field, reason
            case expectedStep = "expected_step"
            case deviceID = "device_id"
        }

        var isEmpty: Bool { field == nil && reason == nil && expectedStep == nil && deviceID == nil }
    }
}
