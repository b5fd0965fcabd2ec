import AsyncHTTPClient
import ConnectionFault
import NIOCore
import NIOHTTP1
public import ServiceLifecycle
import Waiting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Asks one of Apple's servers over HTTP, with bounds on time and bytes.
///
/// ```swift
/// let server = AppleServer()
/// async let _ = server.run()  // Cancelled where the function ends; in a server, one of the ServiceGroup's services.
/// ```
///
/// It neither repeats a request nor follows redirects; its callers interpret the answers.
///
/// It must be run: ``run()`` is what closes its connections, and it does so when it is stopped or cancelled. One that is
/// let go without that keeps them open, and ends the process of a debug build.
public final class AppleServer: Service {
    /// Bounds on one request.
    public struct Limits: Sendable {
        /// How long an answer may take as a whole.
        public var timeout: Duration = .seconds(10)
        /// Bytes of an answer; receipts have about 5 KB as text.
        public var answerBytesMax = 64 << 10

        /// The defaults.
        public init() {}
    }

    /// An answer, whatever its status.
    struct Answer: Sendable {
        var status: Int
        /// The body up to the limit; read only for statuses whose body says something.
        var body: [UInt8]
        /// Whether the body was cut off at the limit.
        var isCut = false
        /// The value of `Retry-After`, where it is a number of seconds.
        var retryAfter: Duration?
    }

    /// Why there is no answer.
    enum Fault: Error {
        case unreachable(String)
        case cancelled
    }

    private let client: HTTPClient
    private let limits: Limits

    /// Makes a client of its own.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = TimeAmount(min(limits.timeout, .seconds(5)))
        configuration.timeout.read = TimeAmount(limits.timeout)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .disallow
        client = HTTPClient(configuration: configuration)
    }

    /// The kind of service, for logs.
    public var description: String { "AppleServer" }

    /// Stays until graceful shutdown or cancellation, then closes the connections.
    /// - Throws: The error of connections that cannot be closed.
    public func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }

    /// Sends a body and collects the answer.
    func post(
        _ url: String, authorization: String, type: String, _ body: [UInt8]
    ) async throws(Fault) -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = ["Authorization": authorization, "Content-Type": type]
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            return try await answer(to: request)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .unreachable(Self.words(error))
        }
    }

    /// Sends a request and reads its whole answer within the time limit: the client's own limit covers the head only.
    ///
    /// A body that is too long, from a proxy for instance, is cut off and does not hide the status.
    private func answer(to request: HTTPClientRequest) async throws -> Answer {
        let answered = try await Deadline.result(until: .now + limits.timeout) { [client, limits] in
            let response = try await client.execute(request, timeout: TimeAmount(limits.timeout))
            let (body, isCut) = try await Self.body(of: response, bytesMax: limits.answerBytesMax)
            let seconds = response.headers.first(name: "Retry-After").flatMap { Int64($0) }
            return Answer(
                status: Int(response.status.code), body: body, isCut: isCut,
                retryAfter: seconds.map { .seconds(min(max($0, 0), 86_400)) })
        }
        guard let answer = answered else { throw HTTPClientError.deadlineExceeded }
        return answer
    }

    /// The body of any other status is not read.
    private static let statusesRead: [UInt] = [200, 400]

    /// The body up to the limit, and whether it was cut off.
    private static func body(
        of response: HTTPClientResponse, bytesMax: Int
    ) async throws -> (bytes: [UInt8], isCut: Bool) {
        guard statusesRead.contains(response.status.code) else { return ([], false) }
        var bytes: [UInt8] = []
        for try await part in response.body {
            let room = bytesMax - bytes.count
            bytes.append(contentsOf: part.readableBytesView.prefix(room))
            guard part.readableBytes <= room else { return (bytes, true) }
        }
        return (bytes, false)
    }

    /// Errors of the client name hosts and limits, never headers or bodies.
    private static func words(_ error: any Error) -> String {
        let words = (error as? HTTPClientError)?.shortDescription.lowercased() ?? ConnectionFault.reason(of: error)
        return String(words.prefix(200))
    }
}
