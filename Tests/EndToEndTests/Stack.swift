import AsyncHTTPClient
import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import GatewayClient
import Logging
import NIOPosix
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient
import TestSupport

/// The whole system as its users run it: real servers, real processes, their own settings.
final class Stack: Sendable {
    static let appID = "TEAM123456.com.example.capture"
    static let token = "read-token-of-the-tests"
    /// One client for all tests; it ends with the process.
    static let http = HTTPClient(configuration: GatewayClient.httpConfiguration)

    let redis: PrivateRedis
    let postgres: PrivatePostgres
    let database: String
    let environment: [String: String]
    let authority: TestCertificateAuthority
    let directory: URL

    private init(
        redis: PrivateRedis, postgres: PrivatePostgres, database: String, environment: [String: String],
        authority: TestCertificateAuthority, directory: URL
    ) {
        self.redis = redis
        self.postgres = postgres
        self.database = database
        self.environment = environment
        self.authority = authority
        self.directory = directory
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts the servers and brings them to this release; programs are started by the test.
    /// - Parameters:
    ///   - redis: The queue's server, with settings of a test's own; a fresh one by default.
    ///   - postgres: The server, for tests that do it harm; the one that all share by default.
    static func start(
        settings: [String: String] = [:], redis own: PrivateRedis? = nil, postgres: PrivatePostgres? = nil
    ) async throws -> Stack {
        let redis = if let own { own } else { try await PrivateRedis.start() }
        let server = if let postgres { postgres } else { try await PrivatePostgres.shared() }
        let database = try await server.createDatabase()
        let directory = try TemporaryDirectory.make("stack")
        let authority = try TestCertificateAuthority(at: Date())
        try authority.write(directory: directory.path)
        let digest = SHA256Digest.hash(Array(token.utf8)).hex
        let environment = [
            "CAPTURE_REDIS_URL": redis.url, "CAPTURE_POSTGRES_URL": database, "CAPTURE_APP_IDS": appID,
            "CAPTURE_APP_ROOTS": directory.appendingPathComponent("root.pem").path,
            "CAPTURE_GATEWAY_READ_TOKENS": digest, "CAPTURE_GATEWAY_CHALLENGE_LIMIT": "1000",
            "CAPTURE_LOG_FORMAT": "text",
        ].merging(PatientSettings.servers) { _, new in new }.merging(settings) { _, new in new }
        let stack = Stack(
            redis: redis, postgres: server, database: database, environment: environment, authority: authority,
            directory: directory
        )
        // Patient in any case: no test of a short limit is about the migration.
        let migration = try await LeashedProcess.run(
            Programs.path("capturectl"), ["migrate"],
            environment: environment.merging(PatientSettings.servers) { _, new in new }
        )
        guard migration.exitCode == 0 else { throw LeashedProcess.Failure(description: migration.output) }
        return stack
    }

    /// The names of the queue's keys, in as many partitions as the stack's settings say.
    var keyspace: Keyspace {
        environment["CAPTURE_QUEUE_PARTITIONS"].flatMap(Int.init).flatMap { Keyspace(partitions: $0) } ?? .standard
    }

    /// The database's name within its server.
    var databaseName: String { database.split(separator: "=").last.map(String.init) ?? "" }

    /// Runs statements in the stack's database as its owner and gives what they print.
    @discardableResult
    func psql(_ statement: String) async throws -> String {
        try await postgres.psql(statement, database: databaseName)
    }

    /// Starts a worker process.
    func worker(_ settings: [String: String] = [:]) throws -> LeashedProcess {
        try LeashedProcess(
            Programs.path("capture-worker"), environment: environment.merging(settings) { _, new in new }
        )
    }

    /// Starts a gateway process on a free port.
    func launchGateway(_ settings: [String: String] = [:]) throws -> LeashedProcess {
        try LeashedProcess(
            Programs.path("capture-gateway"), ["--gateway-port", "0"],
            environment: environment.merging(settings) { _, new in new }
        )
    }

    /// Starts a gateway process on a free port and waits until it is ready: one that only listens refuses uploads.
    func gateway(_ settings: [String: String] = [:]) async throws -> (process: LeashedProcess, client: GatewayClient) {
        let process = try launchGateway(settings)
        let line = try await process.line(containing: "listening on http://")
        try await process.line(containing: "gateway is ready")
        // The line is text or JSON.
        let url = line.split { $0 == " " || $0 == "\"" }.first { $0.hasPrefix("http://") }.map(String.init) ?? ""
        // Longer than the gateway waits for its servers; and a 503 is tried again far more often than by default.
        let configuration = GatewayClient.Configuration(url: url, requestTimeout: .seconds(90), attemptsMax: 40)
        return (process, GatewayClient(configuration, http: Self.http))
    }

    /// A connection to the queue and the record for tests that look behind the gateway, or hand off by themselves.
    func withBackstage<Value: Sendable>(
        _ body: @Sendable (RedisCaptureQueue, RedisBundleStore, PostgresCaptureStore) async throws -> Value
    ) async throws -> Value {
        let logger = Logger(label: "tests")
        // The machine may be busy with everybody's tests.
        var queueServer = try RedisConfiguration(url: redis.url)
        queueServer.connectTimeout = .seconds(30)
        queueServer.commandTimeout = .seconds(60)
        queueServer.sendTimeout = .seconds(60)
        queueServer.reconnectGrace = .seconds(60)
        var recordServer = PostgresConfiguration(conninfo: database)
        recordServer.acquireTimeout = .seconds(60)
        recordServer.connectTimeout = .seconds(30)
        recordServer.statementTimeout = .seconds(60)
        recordServer.lockTimeout = .seconds(60)
        let client = RedisClient(
            configuration: queueServer, eventLoopGroup: .singletonMultiThreadedEventLoopGroup, logger: logger)
        let postgres = PostgresClient(configuration: recordServer, logger: logger)
        let queue = RedisCaptureQueue(client: client, keyspace: keyspace, consumer: "tests", logger: logger)
        let bundles = RedisBundleStore(client: client, keyspace: keyspace)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask { try await postgres.run() }
            defer { group.cancelAll() }
            return try await body(queue, bundles, PostgresCaptureStore(client: postgres))
        }
    }
}
