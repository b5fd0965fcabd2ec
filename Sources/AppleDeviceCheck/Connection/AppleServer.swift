import AsyncHTTPClient
import ConnectionFault
import Deadline
import FoundationEssentials
import NIOCore
import NIOHTTP1
public import ServiceLifecycle

/// Asks one of Apple's servers over HTTP, with bounds on time and bytes.
///
/// It neither repeats a request nor follows redirects: what to make of an answer is its callers' to say. It runs for as
/// long as it is a service, and closes its connections then.
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
        /// What has come of the body within the limit, where the status has a body that says something.
        var body: [UInt8]
        /// Whether there is more of it.
        var isCut = false
        /// What `Retry-After` asks for, where it is a number of seconds.
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

    /// Sends a request and reads its answer to the end, both within the limit: the client's own ends with the head.
    ///
    /// Whatever stands in between may send long pages: they do not hide the status.
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

    /// Any other answer says all with its status.
    private static let statusesRead: [UInt] = [200, 400]

    /// As much of a body as there may be, and whether there is more.
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
