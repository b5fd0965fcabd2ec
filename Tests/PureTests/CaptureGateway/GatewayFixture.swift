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
        challenges = MemoryChallengeStore(time: time)
        store = MemoryCaptureStore(time: time.source)
        queue = MemoryCaptureQueue(time: time.source, bundles: bundles)
        configuration = GatewayConfiguration(appIDs: [try #require(AppID(Self.appID))])
        configuration.port = 0
        configuration.roots = [try TrustRoot(pem: authority.rootPEM)]
        configuration.readTokenDigests = [.hash(Array(Self.readToken.utf8))]
        configuration.operatorTokenDigests = [.hash(Array(Self.operatorToken.utf8))]
        configuration.readinessTimeout = .seconds(10)
        var logger = Logger(label: "gateway")
        logger.logLevel = .critical
        dependencies = GatewayDependencies(
            queue: queue, bundles: bundles, store: store, challenges: challenges,
            limiter: MemoryRateLimiter(time: time), changes: NoStateChanges(), metrics: PrometheusRegistry(),
            now: time.source, random: { UInt64.random(in: 0 ... .max) }, logger: logger)
    }

    /// Runs the gateway while `body` talks to it, and then shuts it down as SIGTERM would.
    func run(_ body: @Sendable @escaping (GatewayCaller) async throws -> Void) async throws {
        let (addresses, continuation) = AsyncStream.makeStream(of: SocketAddress?.self)
        let application = try CaptureGateway.application(
            configuration: configuration, dependencies: dependencies
        ) { continuation.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [application], logger: dependencies.logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                guard let address = await addresses.first(where: { _ in true }), let port = address?.port else {
                    return
                }
                do {
                    try await body(GatewayCaller(url: "http://127.0.0.1:\(port)"))
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
                await group.triggerGracefulShutdown()
            }
            try await tasks.waitForAll()
        }
    }
}

/// Speaks HTTP to a gateway without knowing its rules.
struct GatewayCaller: Sendable {
    let url: String

    struct Answer: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var body: [UInt8]
        /// The body, when it is a JSON object.
        var json: JSON

        var code: String? { json["error"]["code"].text }
        var field: String? { json["error"]["details"]["field"].text }
        var reason: String? { json["error"]["details"]["reason"].text }
        var data: JSON { json["data"] }
    }

    func send(
        _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        request.headers = headers
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        let bytes = Array(try await response.body.collect(upTo: 4 << 20).readableBytesView)
        try DescribedAnswers.check(
            method, path, status: Int(response.status.code), headers: response.headers, body: bytes)
        return Answer(
            status: Int(response.status.code), headers: response.headers, body: bytes,
            json: (try? JSONDecoder().decode(JSON.self, from: Data(bytes))) ?? .null)
    }

    func get(_ path: String, token: String? = nil) async throws -> Answer {
        try await send(.GET, path, headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:])
    }

    func post(_ path: String, _ json: JSON, headers: HTTPHeaders = [:]) async throws -> Answer {
        var headers = headers
        headers.replaceOrAdd(name: "Content-Type", value: "application/json")
        return try await send(.POST, path, headers: headers, body: Array(try JSONEncoder().encode(json)))
    }

    func challenge() async throws -> [UInt8] {
        let answer = try await get("/api/v1/devices/challenge")
        return Array(try #require(answer.data["challenge"].text.flatMap { Data(base64Encoded: $0) }))
    }
}

/// JSON as tests write and read it.
indirect enum JSON: Codable, Sendable, Equatable {
    case null, bool(Bool), number(Double), string(String), array([JSON]), object([String: JSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    subscript(name: String) -> JSON {
        get { if case .object(let members) = self { members[name] ?? .null } else { .null } }
        set {
            guard case .object(var members) = self else { return }
            members[name] = newValue == .null ? nil : newValue
            self = .object(members)
        }
    }

    var text: String? { if case .string(let value) = self { value } else { nil } }
    var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Dictionary(elements) { first, _ in first }) }
}
