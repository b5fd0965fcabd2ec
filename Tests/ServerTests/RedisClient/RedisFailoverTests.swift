import NIOCore
import RedisClient
import TestSupport
import Testing

@Suite("A Redis client after a failover", .timeLimit(.minutes(2)))
struct RedisFailoverTests {
    /// Writes where writes are refused.
    private func beRefused(_ redis: RedisClient, sourceLocation: SourceLocation = #_sourceLocation) async {
        let error = await #expect(throws: RedisError(.server, ""), sourceLocation: sourceLocation) {
            _ = try await redis.send(RedisCommand("SET", ["key", "value"]))
        }
        #expect(error?.serverPrefix == "READONLY", sourceLocation: sourceLocation)
    }

    /// Calls again while connections are made anew.
    private func untilDone<Value>(
        fileID: String = #fileID, line: Int = #line, _ call: () async throws(RedisError) -> Value
    ) async throws -> Value {
        var value: Value?
        try await eventually(fileID: fileID, line: line) {
            do throws(RedisError) {
                value = try await call()
            } catch {
                guard error.isTransient else { throw error }
            }
            return value != nil
        }
        return try #require(value)
    }

    @Test func `once a write is refused no read is answered by the same server, over any connection`() async throws {
        try await FailoverServers.with { servers in
            try await RedisFixture.withClient(servers.url, connections: 2) { redis in
                try await eventually {
                    try await servers.old.cli("CLIENT", "LIST").split(separator: "\n").count {
                        $0.contains("name=capture-processor")
                    } == 2
                }
                _ = try await redis.send(RedisCommand("SET", ["server", "old"]))
                try await servers.failOver()
                try await servers.new.cli("SET", "server", "new")
                await beRefused(redis)
                for _ in 0..<4 {
                    let server = try await untilDone { () async throws(RedisError) in
                        try await redis.send(RedisCommand("GET", ["server"]))
                    }
                    #expect(server.string == "new")
                }
            }
        }
    }

    @Test func `subscriptions and connections of one's own end once a write of their client is refused`() async throws {
        try await FailoverServers.with { servers in
            try await RedisFixture.withClient(servers.url) { redis in
                let subscription = try await redis.subscribe(to: ["events"])
                let connection = try await redis.openConnection()
                try await servers.failOver()
                #expect(try await connection.send(RedisCommand("PING")) == .simple("PONG"))
                await beRefused(redis)
                await #expect(throws: RedisError(.connection, "")) { for try await _ in subscription {} }
                try await eventually { !connection.isOpen }
                // A subscription that is made anew stays.
                let again = try await redis.subscribe(to: ["events"])
                try await servers.new.cli("PUBLISH", "events", "heard")
                var messages = again.makeAsyncIterator()
                #expect(try await messages.next()?.payload == ByteBuffer(string: "heard"))
            }
        }
    }

    @Test func `a client that was refused waits until its address leads to a primary`() async throws {
        try await FailoverServers.with { servers in
            // How long the call waits that is refused below; a call on a connection that is up is written at once.
            try await RedisFixture.withClient(servers.url, configure: { $0.sendTimeout = .seconds(5) }) { redis in
                try await untilDone { () async throws(RedisError) in try await redis.ping() }
                try await servers.new.cli("REPLICAOF", "NO", "ONE")
                try await servers.new.cli("SET", "server", "new")
                try await servers.demote()
                await beRefused(redis)
                // A subscription there would hear nothing, and a read would be answered as if nothing had happened.
                let error = await #expect(throws: RedisError(.connection, "")) {
                    _ = try await redis.subscribe(to: ["events"])
                }
                #expect(error?.message.contains("replica") == true)
                await #expect(throws: RedisError(.connection, "")) {
                    _ = try await redis.send(RedisCommand("GET", ["server"]))
                }
                servers.redirect()
                let server = try await untilDone { () async throws(RedisError) in
                    try await redis.send(RedisCommand("GET", ["server"]))
                }
                #expect(server.string == "new")
            }
        }
    }

    @Test func `a user who may not ask for the role is let in`() async throws {
        let server = try await PrivateRedis.start(
            ["--user", "narrow", "on", ">x", "~*", "+set", "+get", "+ping"], tcp: true)
        try await RedisFixture.withClient(server.url.replacing("redis://", with: "redis://narrow:x@")) { redis in
            try await redis.ping()
            try await server.cli("REPLICAOF", "127.0.0.1", "\(try FreePort.take())")
            await beRefused(redis)
            let reply = try await untilDone { () async throws(RedisError) in
                try await redis.send(RedisCommand("GET", ["key"]))
            }
            #expect(reply.isNull)
        }
    }
}
