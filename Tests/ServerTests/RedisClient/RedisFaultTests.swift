import Foundation
import NIOCore
import RedisClient
import TestSupport
import Testing

@Suite("Redis faults", .timeLimit(.minutes(2)))
struct RedisFaultTests {
    @Test func `a command under way when the server dies has an unknown outcome`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) { redis in
            try await redis.ping()
            let blocked = Task { try await redis.send(RedisCommand("BLPOP", ["none", 0]), timeout: .seconds(60)) }
            try await waitForBlockedClient(server)
            try await server.kill()
            await #expect(throws: RedisError(.outcomeUnknown, "")) { _ = try await blocked.value }
        }
    }

    @Test func `a command that never had a connection was never sent`() async throws {
        let server = try await PrivateRedis.start()
        try await server.kill()
        try await RedisFixture.withClient(server.url) {
            $0.sendTimeout = .milliseconds(100)
        } _: { redis in
            let error = await #expect(throws: RedisError(.connection, "")) { try await redis.ping() }
            #expect(error?.isTransient == true)
        }
    }

    @Test func `what is wrong is said in the system's words`() async throws {
        for (url, words) in [
            ("redis://127.0.0.1:1", "no connection: 127.0.0.1:1: Connection refused"),
            ("unix:///nonexistent/redis.sock", "no connection: No such file or directory"),
        ] {
            try await RedisFixture.withClient(url) {
                $0.reconnectGrace = .milliseconds(100)
            } _: { redis in
                // The first may be over before a busy machine has tried to connect.
                try await eventually {
                    let fault = await #expect(throws: RedisError(.connection, "")) { try await redis.ping() }
                    return fault?.message == words
                }
            }
        }
    }

    @Test func `once a server has been away for a while commands fail at once`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) {
            $0.sendTimeout = .seconds(60)
            $0.reconnectGrace = .seconds(3)
        } _: { redis in
            try await redis.ping()
            try await server.kill()
            try await eventually { !redis.isConnected }
            // The first waits for the server to come back, no longer than the grace; those after it do not wait.
            await #expect(throws: RedisError(.connection, "")) { try await redis.ping() }
            // A hundred that waited would take longer than the suite may.
            for _ in 0..<100 { await #expect(throws: RedisError(.connection, "")) { try await redis.ping() } }
            try await server.restart()
            try await eventually { redis.isConnected }
            try await redis.ping()
        }
    }

    @Test func `a client outlives the restart of its server`() async throws {
        let server = try await PrivateRedis.start()
        let lines = LogRecorder()
        try await RedisFixture.withClient(server.url, logger: lines.logger) {
            $0.sendTimeout = .seconds(60)
            $0.reconnectGrace = .seconds(60)
        } _: { redis in
            _ = try await redis.send(RedisCommand("SET", ["kept", "yes"]))
            for _ in 0..<2 {
                try await server.kill()
                try await eventually { !redis.isConnected }
                try await server.restart()
                #expect(try await redis.send(RedisCommand("GET", ["kept"])).string == "yes")
            }
        }
        // Once per change, however many attempts there were.
        #expect(
            lines.lines == [
                "info Redis is reachable", "warning Redis is not reachable", "info Redis is reachable",
                "warning Redis is not reachable", "info Redis is reachable",
            ])
    }

    @Test func `every one of several connections comes back`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url, connections: 3) { redis in
            try await server.kill()
            try await server.restart()
            try await eventually {
                try await server.cli("CLIENT", "LIST").split(separator: "\n").count { $0.contains("name=cap") } == 3
            }
            try await eventually {
                // A connection that was lost a moment ago may not know it yet.
                do throws(RedisError) { try await redis.ping() } catch  where error.isTransient { return false }
                return true
            }
        }
    }

    @Test func `a server that does not answer in time loses the connection, and serves the next one`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) { redis in
            try await redis.ping()
            server.signal(SIGSTOP)
            let answer = redis.sendFuture(RedisCommand("PING"), timeout: .milliseconds(200))
            let late = await #expect(throws: RedisError(.timeout, "")) { _ = try await answer.get() }
            #expect(late?.isTransient == true)
            server.signal(SIGCONT)
            try await redis.ping()
        }
    }

    @Test func `while the oldest command is late, younger ones end as unknown rather than late`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) { redis in
            try await redis.ping()
            server.signal(SIGSTOP)
            defer { server.signal(SIGCONT) }
            let late = redis.sendFuture(RedisCommand("PING"), timeout: .seconds(1))
            let young = redis.sendFuture(RedisCommand("PING"), timeout: .seconds(60))
            await #expect(throws: RedisError(.timeout, "")) { _ = try await late.get() }
            await #expect(throws: RedisError(.outcomeUnknown, "")) { _ = try await young.get() }
        }
    }

    @Test func `a server that has become a replica is left once what is under way has its answers`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) { redis in
            let first = try await redis.send(RedisCommand("CLIENT", ["ID"])).int
            try await server.cli("REPLICAOF", "127.0.0.1", "\(try FreePort.take())")
            // Both are under way when the first answer comes.
            server.signal(SIGSTOP)
            let refused = redis.sendFuture(RedisCommand("SET", ["key", "value"]))
            let read = redis.sendFuture(RedisCommand("ECHO", ["read"]))
            try await eventually { redis.outstandingCommands == 2 }
            server.signal(SIGCONT)
            let error = await #expect(throws: RedisError(.server, "")) { _ = try await refused.get() }
            #expect(error?.serverPrefix == "READONLY")
            #expect(try await read.get().string == "read")
            try await eventually { !redis.isConnected }
            try await server.cli("REPLICAOF", "NO", "ONE")
            // A connection that was made while it was still a replica is left as well.
            try await eventually {
                guard let id = try? await redis.send(RedisCommand("CLIENT", ["ID"])).int else { return false }
                return id != first
            }
        }
    }

    private func waitForBlockedClient(_ server: PrivateRedis) async throws {
        try await eventually {
            try await server.cli("INFO", "clients").contains("blocked_clients:1")
        }
    }
}
