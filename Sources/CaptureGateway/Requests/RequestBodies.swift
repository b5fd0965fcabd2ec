import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the bodies of requests that are no uploads, JSON and forms, within limits on their size, on their time and on
/// the memory of all together.
///
/// Anybody may send them, on every connection at once: without a bound on all they would take more memory than uploads.
struct RequestBodies: Sendable {
    private let bytesMax: Int
    private let timeout: Duration
    private let budget: BodyBudget

    init(_ requests: GatewayConfiguration.Requests) {
        bytesMax = requests.jsonBytesMax
        timeout = requests.jsonTimeout
        budget = BodyBudget(bytesMax: requests.jsonBytesInFlightMax, bodyBytesMax: requests.jsonRequestBytesMax)
    }

    /// Reads a whole body and makes something of it; the bytes are held, and counted, no longer than that takes.
    /// - Throws: `UNAVAILABLE` when there is no room for it, and whatever is wrong with it.
    func read<Value>(
        _ request: Request, _ context: GatewayContext, _ make: ([UInt8]) async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        try request.headers.requirePlainContent()
        // A body that does not announce its length may become as long as any.
        let length = try request.headers.contentLength(atMost: bytesMax) ?? bytesMax
        guard let reservation = budget.reserve(length + Self.headBytes(request), for: context.clientAddress) else {
            throw .bodiesFull
        }
        defer { withExtendedLifetime(reservation) {} }
        context.askForBody()
        let body = TimedBody(idleTimeout: timeout, timeout: timeout)
        let bytes = try await body.read(request.body) { [bytesMax] in
            Collector(bytesMax: bytesMax, bytesExpected: length)
        }
        return try await make(bytes)
    }

    /// Reads JSON.
    func json<Form: Decodable>(
        _ type: Form.Type, _ request: Request, _ context: GatewayContext
    ) async throws(APIError) -> Form {
        try await read(request, context) { bytes throws(APIError) in
            try JSONBody.decode(type, from: bytes, headers: request.headers)
        }
    }

    /// The head is held as long as the body.
    private static func headBytes(_ request: Request) -> Int {
        request.headers.reduce(request.uri.string.utf8.count) { bytes, field in
            bytes + field.name.rawName.utf8.count + field.value.utf8.count
        }
    }

    /// The bytes so far.
    private struct Collector: BodyReader {
        let bytesMax: Int
        let bytesExpected: Int
        private var bytes: [UInt8] = []

        init(bytesMax: Int, bytesExpected: Int) {
            self.bytesMax = bytesMax
            self.bytesExpected = bytesExpected
        }

        mutating func take(_ chunk: ByteBuffer) throws(APIError) {
            guard bytes.count + chunk.readableBytes <= bytesMax else { throw .tooLarge("body", bytesMax) }
            // In one piece: an array that grows is moved again and again, and has twice the room in the end.
            if bytes.isEmpty { bytes.reserveCapacity(bytesExpected) }
            bytes += chunk.readableBytesView
        }

        consuming func finish() throws(APIError) -> [UInt8] { bytes }
    }
}

extension APIError {
    /// The bodies of this gateway's requests, or of the client's, have used up their memory.
    static let bodiesFull = APIError(.unavailable, "too many requests with a body at once", retryAfter: .seconds(1))
}
