import AppAttest
import AsyncHTTPClient
import CaptureModel
import CaptureQueue
import CaptureStore
import Crypto
import DeviceSimulator
import FoundationEssentials
import Logging
import NIOCore
import NIOHTTP1
import Observability
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

/// A gateway on a free port of the loopback, over servers in memory.
struct GatewayFixture: Sendable {
    static let appID = "ABCDE12345.com.example.capture"
    static let readToken = "read-token"
    static let operatorToken = "operator-token"

    let time = ManualTime(Timestamp(microsecondsSince1970: 1_780_000_000_000_000))
    let authority: TestCertificateAuthority
    let challenges: MemoryChallengeStore
    let store: MemoryCaptureStore
    let bundles = MemoryBundleStore()
    let queue: MemoryCaptureQueue
    var configuration: GatewayConfiguration
    var dependencies: GatewayDependencies

    init() throws {
        authority = try TestCertificateAuthority(at: time.now.date)
        challenges = MemoryChallengeStore(time: time.source)
        store = MemoryCaptureStore(time: time.source)
        queue = MemoryCaptureQueue(time: time.source, bundles: bundles)
        configuration = GatewayConfiguration(appIDs: [try #require(AppID(Self.appID))])
        configuration.connections.port = 0
        configuration.trust.roots = [try TrustRoot(pem: authority.rootPEM)]
        configuration.access.readTokenDigests = [.hash(Array(Self.readToken.utf8))]
        configuration.access.operatorTokenDigests = [.hash(Array(Self.operatorToken.utf8))]
        configuration.readinessTimeout = .seconds(10)
        var logger = Logger(label: "gateway")
        logger.logLevel = .critical
        dependencies = GatewayDependencies(
            queue: queue, bundles: bundles, store: store, challenges: challenges,
            limiter: MemoryRateLimiter(time: time.source), changes: NoStateChanges(), metrics: PrometheusRegistry(),
            now: time.source, random: { UInt64.random(in: 0 ... .max) }, logger: logger)
    }

    /// Runs the gateway while `body` talks to it, and then shuts it down as SIGTERM would.
    func run(_ body: @Sendable @escaping (GatewayCaller) async throws -> Void) async throws {
        try await Self.serve(configuration, dependencies, body)
    }

    /// Runs a gateway while `body` talks to it.
    /// - Parameter isPatient: Whether it may end what it has begun before it is stopped, as at a SIGTERM.
    static func serve(
        _ configuration: GatewayConfiguration, _ dependencies: GatewayDependencies, isPatient: Bool = true,
        _ body: @Sendable @escaping (GatewayCaller) async throws -> Void
    ) async throws {
        let (addresses, continuation) = AsyncStream.makeStream(of: SocketAddress?.self)
        let application = try CaptureGateway.application(
            configuration: configuration, dependencies: dependencies
        ) { continuation.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [application], logger: .quiet))
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            tasks.addTask {
                try await group.run()
                return false
            }
            tasks.addTask {
                guard let address = await addresses.first(where: { _ in true }), let port = address?.port else {
                    throw UnexpectedGround()
                }
                do {
                    try await body(GatewayCaller(port: port))
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
                await group.triggerGracefulShutdown()
                return true
            }
            // A gateway that finds no port ends with an error before there is anything to talk to.
            while let isBody = try await tasks.next(), !isBody {}
            if isPatient { try await tasks.waitForAll() } else { tasks.cancelAll() }
        }
    }
}

/// Speaks HTTP to a gateway without knowing its rules.
struct GatewayCaller: Sendable {
    let port: Int

    var url: String { "http://127.0.0.1:\(port)" }

    struct Answer: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var body: [UInt8]
        /// The body, when it is JSON; `null` when it is not.
        var json: JSONValue

        var code: String? { json["error"]["code"].string }
        var message: String? { json["error"]["message"].string }
        var field: String? { json["error"]["details"]["field"].string }
        var reason: String? { json["error"]["details"]["reason"].string }
        var data: JSONValue? { json["data"] }
        var captureID: CaptureID? { data["capture_id"].string.flatMap { CaptureID($0) } }
    }

    func send(
        _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        request.headers = headers
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let bytes = Array(try await response.body.collect(upTo: 4 << 20).readableBytesView)
        try DescribedAnswers.check(
            method, path, status: Int(response.status.code), headers: response.headers, body: bytes,
            sourceLocation: sourceLocation)
        return Answer(
            status: Int(response.status.code), headers: response.headers, body: bytes,
            json: (try? JSONValue(json: bytes)) ?? .null)
    }

    func get(
        _ path: String, token: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let headers: HTTPHeaders = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        return try await send(.GET, path, headers: headers, sourceLocation: sourceLocation)
    }

    func post(
        _ path: String, _ json: JSONValue?, headers: HTTPHeaders = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        var headers = headers
        headers.replaceOrAdd(name: "Content-Type", value: "application/json")
        return try await send(
            .POST, path, headers: headers, body: Array(try JSONEncoder().encode(json)), sourceLocation: sourceLocation)
    }

    func challenge() async throws -> [UInt8] {
        let answer = try await get("/api/v1/devices/challenge")
        return Array(try #require(answer.data["challenge"].string.flatMap { Data(base64Encoded: $0) }))
    }
}

/// Thrown when a test's own ground is not what it takes for granted.
struct UnexpectedGround: Error {}
