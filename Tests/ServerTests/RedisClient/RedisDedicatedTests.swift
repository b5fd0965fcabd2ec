import RedisClient
import TestSupport
import Testing

@Suite("Dedicated Redis connections", .timeLimit(.minutes(1)))
struct RedisDedicatedTests {
    private static let blockedRead = RedisCommand(
        "XREADGROUP", ["GROUP", "workers", "w1", "COUNT", 1, "BLOCK", 60_000, "STREAMS", "ready", ">"])

    @Test func `a blocked read gets what is added meanwhile`() async throws {
        try await withGroup { server, redis in
            let connection = try await redis.openConnection()
            let read = Task { try await connection.send(Self.blockedRead, timeout: .seconds(90)) }
            try await eventually { try await blockedClients(server) == 1 }
            _ = try await redis.send(RedisCommand("XADD", ["ready", "*", "device", "a"]))
            let tokens = try await read.value
            // One stream, and one entry of it: its id and its fields.
            let entries = tokens.array?.first?.array?.last?.array
            #expect(tokens.array?.count == 1 && entries?.count == 1)
            #expect(entries?.first?.array?.last?.array?.map(\.string) == ["device", "a"])
            await connection.close()
        }
    }

    @Test func `a blocked read that is cancelled leaves no waiter at the server`() async throws {
        try await withGroup { server, redis in
            let connection = try await redis.openConnection()
            let read = Task { try await connection.send(Self.blockedRead, timeout: .seconds(90)) }
            try await eventually { try await blockedClients(server) == 1 }
            read.cancel()
            await #expect(throws: RedisError(.cancelled, "")) { _ = try await read.value }
            try await eventually { try await blockedClients(server) == 0 }
            // An entry that comes now is nobody's yet: the reader that is gone does not swallow it.
            _ = try await redis.send(RedisCommand("XADD", ["ready", "*", "device", "a"]))
            let pending = try await redis.send(RedisCommand("XPENDING", ["ready", "workers"]))
            #expect(pending.array?.first?.int == 0)
            await connection.close()
        }
    }

    @Test func `a blocked read that outlasts its timeout closes the connection`() async throws {
        try await withGroup { server, redis in
            let connection = try await redis.openConnection()
            await #expect(throws: RedisError(.timeout, "")) {
                _ = try await connection.send(Self.blockedRead, timeout: .milliseconds(50))
            }
            try await eventually { try await blockedClients(server) == 0 }
            #expect(!connection.isOpen)
            await #expect(throws: RedisError(.timeout, "")) { _ = try await connection.send(RedisCommand("PING")) }
        }
    }

    @Test func `blocked reads do not hold up the pipeline`() async throws {
        try await withGroup { server, redis in
            let connection = try await redis.openConnection()
            let read = Task { try await connection.send(Self.blockedRead, timeout: .seconds(90)) }
            try await eventually { try await blockedClients(server) == 1 }
            try await redis.ping()
            await connection.close()
            await #expect(throws: RedisError(.outcomeUnknown, "")) { _ = try await read.value }
        }
    }

    @Test func `a connection that is let go is closed`() async throws {
        try await withGroup { server, redis in
            do {
                let connection = try await redis.openConnection()
                #expect(try await connection.send(RedisCommand("PING")) == .simple("PONG"))
                try await eventually { try await clients(server) == 3 }
            }
            try await eventually { try await clients(server) == 2 }
        }
    }

    @Test func `there are no more dedicated connections than configured`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) {
            $0.dedicatedConnectionsMax = 2
        } _: { redis in
            let first = try await redis.openConnection()
            let second = try await redis.openConnection()
            await #expect(throws: RedisError(.backlogFull, "")) { _ = try await redis.openConnection() }
            #expect(first.isOpen && second.isOpen)
            await first.close()
            await second.close()
        }
    }

    private func withGroup(_ body: (PrivateRedis, RedisClient) async throws -> Void) async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) { redis in
            _ = try await redis.send(RedisCommand("XGROUP", ["CREATE", "ready", "workers", 0, "MKSTREAM"]))
            try await body(server, redis)
        }
    }

    private func blockedClients(_ server: PrivateRedis) async throws -> Int {
        try await server.cli("CLIENT", "LIST").split(separator: "\n").count { $0.contains("cmd=xreadgroup") }
    }

    private func clients(_ server: PrivateRedis) async throws -> Int {
        try await server.cli("CLIENT", "LIST").split(separator: "\n").count { $0.contains("id=") }
    }
}
