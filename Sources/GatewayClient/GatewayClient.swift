package import AsyncHTTPClient
import CaptureModel
import ConnectionFault
import NIOCore
import NIOHTTP1
import Waiting

/// Speaks a gateway's HTTP API as a phone, a dashboard or a benchmark would.
///
/// ```swift
/// let gateway = GatewayClient(.init(url: "http://127.0.0.1:8080"), http: http)
/// let challenge = try await gateway.challenge()
/// let receipt = try await gateway.upload(capture, device: device)
/// let status = try await gateway.settled(receipt.captureID, within: .seconds(60)) { _ in .token(token) }
/// ```
///
/// It retries politely: 429 and 503 after `Retry-After`; lost connections, and a proxy's answers for a gateway that is
/// away, after a growing pause. It does so only as often as the configuration says and within the time limit of the
/// call. Repeating an upload is safe, since a gateway recognises a bundle: uploads and reads are retried after 500,
/// too. A signed request that came too late, or counts as a replay, is signed anew once. A certificate that is not
/// trusted and a port that does not speak TLS end the call, as neither passes by itself. Redirects are not followed: the
/// POST of an upload would become a GET.
package struct GatewayClient: Sendable {
    /// Where the gateway is, and how patient to be.
    package let configuration: Configuration
    /// Told the reason (`429 RATE_LIMITED`, `no answer: Connection refused`) and length of each pause between attempts.
    package let onPause: @Sendable (_ why: String, _ pause: Duration) -> Void

    private let http: HTTPClient
    let clock: any Clock<Duration>

    /// Speaks over an HTTP client that the caller owns and shuts down; see ``httpConfiguration``.
    package init(
        _ configuration: Configuration, http: HTTPClient, clock: any Clock<Duration> = ContinuousClock(),
        onPause: @escaping @Sendable (_ why: String, _ pause: Duration) -> Void = { _, _ in }
    ) {
        self.configuration = configuration
        self.http = http
        self.clock = clock
        self.onPause = onPause
    }

    /// The configuration that its HTTP client should have.
    ///
    /// It tries to connect once, since this client does the retries, and follows no redirects.
    package static var httpConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .disallow
        return configuration
    }

    /// A request before its credentials.
    struct Call {
        var method: HTTPMethod
        var path: String
        var headers: HTTPHeaders = [:]
        var body = ByteBuffer()
        /// How long the gateway may hold the answer back on purpose.
        var hold: Duration = .zero
        /// The enrolment step after this one.
        ///
        /// If an earlier attempt may have been taken, a refusal that names this step as the next one says that it was.
        var following: EnrolmentStep?
        /// Whether the gateway recognises the request when it comes twice.
        var isKnownAgain = false

        /// Whether it may be done twice.
        var isRepeatable: Bool { method == .GET || isKnownAgain }
    }

    /// A 2xx answer.
    struct Answer {
        var status: Int
        /// The member `data`.
        var data: JSONValue
    }

    /// Sends a request until it is answered, or patience ends.
    ///
    /// The answer has no data if all that is known is that an earlier attempt was taken.
    /// - Parameter limit: How long all attempts and the pauses between them may take; `nil` for any time.
    func send(
        _ call: Call, as credentials: Credentials.Source? = nil, within limit: Duration? = nil
    ) async throws(GatewayError) -> Answer {
        let left = limit.map { clock.left(of: $0) }
        var (isInDoubt, maySignAnew) = (false, credentials != nil)
        var attempt = 0
        while true {
            attempt += 1
            let failure: GatewayError
            do {
                return try await sendOnce(call, as: credentials, within: left?())
            } catch {
                failure = error
            }
            if isInDoubt, Self.names(call.following, failure) { return Answer(status: 200, data: .null) }
            isInDoubt = isInDoubt || failure.leavesDoubt
            if maySignAnew, failure.wantsNewSignature, attempt < configuration.attemptsMax {
                maySignAnew = false
                continue
            }
            guard let asked = failure.retry(isRepeatable: call.isRepeatable) else { throw failure }
            let rest = left?()
            if let rest, rest <= .zero { throw .outOfTime(last: asked.why) }
            guard attempt < configuration.attemptsMax else { throw failure }
            guard let pause = configuration.pause(after: attempt, asked: asked.after, left: rest) else {
                throw .outOfTime(last: asked.why)
            }
            onPause(asked.why, pause)
            do { try await clock.sleep(for: pause) } catch { throw .cancelled }
        }
    }

    /// Whether a failure says that this step is the next one.
    private static func names(_ step: EnrolmentStep?, _ failure: GatewayError) -> Bool {
        guard let step, case .refused(let refusal) = failure else { return false }
        return refusal.code == "WRONG_STEP" && refusal.expectedStep == step.nameAsNext
    }

    private func sendOnce(
        _ call: Call, as credentials: Credentials.Source?, within left: Duration?
    ) async throws(GatewayError) -> Answer {
        // Checked here, as the HTTP client's own error looks like that of a gateway that is away.
        guard Configuration.isAddress(configuration.url) else { throw .malformedAddress }
        var request = HTTPClientRequest(url: configuration.url + call.path)
        request.method = call.method
        request.headers = call.headers
        if let credentials {
            do {
                try credentials(Array(call.body.readableBytesView)).apply(to: &request.headers)
            } catch {
                throw .unsigned("\(error)")
            }
        }
        if call.body.readableBytes > 0 { request.body = BodyPieces.body(call.body, on: http.eventLoopGroup) }
        let patience = configuration.requestTimeout + call.hold
        let reply: Reply
        do {
            reply = try await self.reply(to: request, within: left.map { max(.zero, min(patience, $0)) } ?? patience)
        } catch is CancellationError {
            throw .cancelled
        } catch let error where ConnectionFault.isUntrusted(error) {
            throw .untrusted(ConnectionFault.reason(of: error))
        } catch {
            throw .unreachable(Self.reason(of: error))
        }
        return try Self.answer(status: reply.status, headers: reply.headers, reply.bytes)
    }

    /// An answer before it is parsed.
    private struct Reply: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let bytes: ByteBuffer
    }

    /// Sends a request and reads its whole answer within a time limit.
    ///
    /// The HTTP client's own time limit ends with the head.
    private func reply(to request: HTTPClientRequest, within limit: Duration) async throws -> Reply {
        let answered = try await Deadline.result(until: .now + limit) { [http, configuration] in
            let response = try await http.execute(request, timeout: TimeAmount(limit))
            return Reply(
                status: Int(response.status.code), headers: response.headers,
                bytes: try await response.body.collect(upTo: configuration.answerBytesMax))
        }
        guard let reply = answered else { throw HTTPClientError.deadlineExceeded }
        return reply
    }

    private static func reason(of error: any Error) -> String {
        switch error as? HTTPClientError {
        case .deadlineExceeded?, .readTimeout?: "no answer in time"
        case .connectTimeout?: "no connection in time"
        case let error?: error.shortDescription.lowercased()
        case nil: ConnectionFault.reason(of: error)
        }
    }

    /// An address made safe for a message, as its sender may have sent anything.
    private static func shown(_ location: String) -> String {
        String(location.utf8.prefix(256).map { (0x21...0x7E).contains($0) ? Character(Unicode.Scalar($0)) : "?" })
    }

    /// Reads an answer's envelope: `data` of a success, `error` of a failure.
    private static func answer(
        status: Int, headers: HTTPHeaders, _ bytes: ByteBuffer
    ) throws(GatewayError) -> Answer {
        if (300..<400).contains(status) {
            throw .elsewhere(status: status, location: headers.first(name: "Location").map(shown))
        }
        let json: JSONValue
        do {
            json = try JSONValue(json: bytes.readableBytesView)
        } catch {
            // A proxy's error page still tells its status.
            guard status >= 400 else { throw .malformedAnswer("\(status) without JSON") }
            json = .null
        }
        if (200..<300).contains(status) {
            guard let data = json["data"] else { throw .malformedAnswer("\(status) without data") }
            return Answer(status: status, data: data)
        }
        let error = json["error"]
        let seconds = headers.first(name: "Retry-After").flatMap { Int64($0) }
        throw .refused(
            .init(
                status: status, code: error?["code"]?.string ?? "HTTP_\(status)",
                message: error?["message"]?.string ?? "no message",
                field: error?["details"]?["field"]?.string, reasonCode: error?["details"]?["reason"]?.string,
                retryAfter: seconds.map { .seconds(max(0, $0)) },
                device: error?["details"]?["device_id"]?.string.flatMap { DeviceID($0) },
                expectedStep: error?["details"]?["expected_step"]?.string
            )
        )
    }
}
