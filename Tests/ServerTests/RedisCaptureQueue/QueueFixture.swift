import CaptureModel
import CaptureQueue
import Foundation
import Logging
import NIOCore
import NIOPosix
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// A queue of a test's own on a real server: its name is in every key, so that tests share a server without meeting.
final class QueueFixture: Sendable {
    let server: PrivateRedis
    let client: RedisClient
    let keyspace: Keyspace
    let configuration: RedisQueueConfiguration
    let logger: Logger

    private init(
        server: PrivateRedis, client: RedisClient, keyspace: Keyspace, configuration: RedisQueueConfiguration,
        logger: Logger
    ) {
        self.server = server
        self.client = client
        self.keyspace = keyspace
        self.configuration = configuration
        self.logger = logger
    }

    /// Runs a client for the time of the test.
    /// - Parameters:
    ///   - backlogMax: The most commands that a connection takes; the client's own number by default.
    ///   - reconnectGrace: How long a call waits for a connection that was lost; patiently by default.
    static func with(
        _ server: PrivateRedis? = nil, partitions: Int = 1, backlogMax: Int? = nil, reconnectGrace: Duration? = nil,
        configuration: RedisQueueConfiguration = .ofTests,
        _ body: (QueueFixture) async throws -> Void
    ) async throws {
        let server = if let server { server } else { try await PrivateRedis.shared() }
        let logger = Logger.quiet
        guard let keyspace = Keyspace(queue: "t-\(UUID().uuidString.prefix(13))", partitions: partitions) else {
            throw QueueError(.refused, "no keyspace")
        }
        var redis = try RedisConfiguration.patient(server.url)
        redis.clientName = keyspace.queue
        if let backlogMax { redis.backlogMax = backlogMax }
        if let reconnectGrace { redis.reconnectGrace = reconnectGrace }
        let client = RedisClient(
            configuration: redis, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        let fixture = QueueFixture(
            server: server, client: client, keyspace: keyspace, configuration: configuration, logger: logger)
        let running = Task { try await client.run() }
        do {
            _ = try await FunctionLibrary.current.install(on: client)
            try await body(fixture)
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        try await running.value
    }

    /// The same with a server that no other test has.
    /// - Parameter options: Those of the server.
    static func withOwnServer(
        _ options: [String] = [], partitions: Int = 1, configuration: RedisQueueConfiguration = .ofTests,
        _ body: (QueueFixture) async throws -> Void
    ) async throws {
        let server = try await PrivateRedis.start(options)
        try await with(server, partitions: partitions, configuration: configuration, body)
        try await server.stop()
    }

    /// The queue as a worker or gateway of that name has it.
    func queue(_ consumer: String = "worker", logger: Logger? = nil) -> RedisCaptureQueue {
        RedisCaptureQueue(
            client: client, keyspace: keyspace, configuration: configuration, consumer: consumer,
            logger: logger ?? self.logger)
    }

    var bundles: RedisBundleStore { RedisBundleStore(client: client, keyspace: keyspace) }

    /// Stores the bytes and enqueues, as a gateway does.
    @discardableResult
    func upload(_ submission: CaptureSubmission) async throws -> EnqueueOutcome {
        let media = CaptureMedia(
            photo: ByteBuffer(repeating: 1, count: submission.photoBytes),
            depth: ByteBuffer(repeating: 2, count: submission.depthBytes)
        )
        try await bundles.put(media, of: submission)
        return try await queue("gateway").enqueue(submission)
    }

    /// Renews what a worker holds, as its heartbeat does: where the functions are gone the next beat finds them.
    func renew(_ worker: any CaptureQueue) async throws {
        guard let queue = worker as? RedisCaptureQueue else { return }
        try await eventually {
            do {
                for renewal in queue.renewLeases(over: client, logger: logger) { _ = try await renewal.get() }
                return true
            } catch let error as RedisError where error.message.contains("Function not found") {
                return false
            }
        }
    }

    /// Sends a command as it is.
    @discardableResult
    func redis(_ name: String, _ arguments: RedisArgument...) async throws -> RedisValue {
        try await client.send(RedisCommand(name, arguments))
    }

    /// All keys of this queue.
    func keys() async throws -> Set<String> {
        let reply = try await redis("KEYS", .string("{\(keyspace.queue):*"))
        return Set(reply.array?.compactMap(\.string) ?? [])
    }

    /// Waits until a claim of this queue is blocked in the server; other tests have theirs there too.
    func untilClaimWaits() async throws {
        try await eventually {
            let clients = try await redis("CLIENT", "LIST").string ?? ""
            return clients.split(separator: "\n").contains {
                $0.contains(" name=\(keyspace.queue) ") && $0.contains(" flags=b")
            }
        }
    }

    /// Lets all leases lapse and all delays be over, without waiting for it.
    /// - Parameter idle: How long nobody has renewed a lease then.
    func passTime(_ idle: Duration = .seconds(100_000)) async throws {
        for keys in keyspace.all {
            for device in try await redis("ZRANGE", .string(keys.delayed), 0, -1).array?.compactMap(\.string) ?? [] {
                try await redis("ZADD", .string(keys.delayed), 0, .string(device))
            }
            guard try await redis("EXISTS", .string(keys.ready)).int == 1 else { continue }
            let pending = try await redis("XPENDING", .string(keys.ready), "workers", "-", "+", 1000)
            for entry in pending.array ?? [] {
                guard let fields = entry.array, let token = fields[0].string, let owner = fields[1].string else {
                    continue
                }
                try await redis(
                    "XCLAIM", .string(keys.ready), "workers", .string(owner), 0, .string(token),
                    "IDLE", .integer(Int(idle / .milliseconds(1))), "JUSTID"
                )
            }
        }
    }
}

extension RedisQueueConfiguration {
    /// The defaults, with leases and marks that last until a test lets them lapse, however slow the machine is.
    static var ofTests: RedisQueueConfiguration {
        var configuration = RedisQueueConfiguration()
        configuration.leaseDuration = .seconds(3_600)
        configuration.leaseAgeMax = .seconds(7_200)
        configuration.markLifetime = .seconds(3_600)
        return configuration
    }
}

/// Calls again while servers come back or change their roles, as workers and gateways do.
func untilDone<Value>(
    fileID: String = #fileID, line: Int = #line, _ call: () async throws(QueueError) -> Value
) async throws -> Value {
    var value: Value?
    try await eventually(fileID: fileID, line: line) {
        do throws(QueueError) {
            value = try await call()
        } catch {
            guard error.isTransient else { throw error }
        }
        return value != nil
    }
    return try #require(value)
}
