import CaptureModel
import HTTPTypes
import Logging
import NIOHTTP1

extension ConnectionGuard {
    /// An answer that needs no route.
    struct Refusal: Sendable {
        let status: HTTPResponseStatus
        let headers: HTTPHeaders
        let body: [UInt8]
    }

    /// What is answered here.
    struct Refusals: Sendable {
        /// To a head that cannot be read.
        let unreadableHead: @Sendable (APIError) -> Refusal
        /// To a connection, or a request, too many.
        let tooManyConnections: @Sendable () -> Refusal
        /// Told what becomes of each connection, and of each request that is one too many.
        var note: @Sendable (ConnectionLimit.Admission) -> Void = { _ in }
    }

    /// The guard of a gateway's connections.
    ///
    /// After a refusal up to twice the largest upload is read: a sender who is somewhat over the limits has finished
    /// writing by then, and reads the answer.
    convenience init(
        _ connections: GatewayConfiguration.Connections, uploadBytesMax: Int, dependencies: GatewayDependencies,
        limit: ConnectionLimit, refused: RefusedConnections, proxies: TrustedProxies
    ) {
        let pause = min(Duration.milliseconds(200), connections.lingerTimeout)
        let linger = Linger(duration: connections.lingerTimeout, pause: pause, bytesMax: 2 * uploadBytesMax)
        let refusals = Refusals { why in
            let requestID = RequestIdentity.made(dependencies.generator)
            dependencies.logger.debug("refused a head that is not HTTP", metadata: ["request_id": "\(requestID)"])
            return .answer(why, requestID, dependencies.now())
        } tooManyConnections: {
            .tooManyConnections(requestID: RequestIdentity.made(dependencies.generator), now: dependencies.now())
        } note: { admission in
            refused.note(admission)
        }
        self.init(
            linger: linger, stallMax: connections.idleTimeout, limit: limit, proxies: proxies, refusals: refusals)
    }
}

extension APIError {
    /// The answer to a head that the parser refuses; it does not tell for certain why.
    static let notHTTP = APIError(
        .validationError,
        "the request's head is not HTTP/1.1, of an unknown method, too large, or tells the body's length twice")
}

extension ConnectionGuard.Refusal {
    /// The answer when all connections, or all that one client may have, are busy.
    static func tooManyConnections(requestID: String, now: Timestamp) -> ConnectionGuard.Refusal {
        answer(APIError(.unavailable, "too many connections", retryAfter: .seconds(1)), requestID, now)
    }

    /// The answer to a request that no route sees.
    static func answer(_ error: APIError, _ requestID: String, _ now: Timestamp) -> ConnectionGuard.Refusal {
        let status = HTTPResponseStatus(statusCode: error.code.status.code)
        var headers: HTTPHeaders = [
            "Content-Type": Envelope.contentType, "Cache-Control": "no-store", "X-Request-Id": requestID,
            "X-Content-Type-Options": "nosniff", "Date": now.httpDate,
        ]
        if let pause = error.retryAfter { headers.add(name: "Retry-After", value: "\(Envelope.wholeSeconds(pause))") }
        do {
            let body = try Envelope.failureBytes(error, requestID: requestID, now: now)
            return ConnectionGuard.Refusal(status: status, headers: headers, body: body)
        } catch {
            // Strings always encode; the status alone would still be the right answer.
            return ConnectionGuard.Refusal(status: status, headers: [:], body: [])
        }
    }
}
