import DeviceSimulator
import NIOCore
import RedisClient
import TestSupport
import Testing

@Suite("A Redis server that misbehaves", .timeLimit(.minutes(1)))
struct RedisHostileServerTests {
    private static let ping = RedisCommand("PING")

    @Test(arguments: [
        "hello\r\n", "$abc\r\n", "$3\r\nabcde\r\n", "*99999999999999\r\n", ":12x\r\n", "%1\r\n+a\r\n+b\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "$-5\r\n", "\0\0\0\0",
    ])
    func `what is not RESP2 closes the connection and is told to the caller`(bytes: String) async throws {
        try await FakeRedis.with { _ in
            ByteBuffer(string: bytes)
        } _: { server in
            try await RedisFixture.withClient(server.url) { redis in
                await #expect(throws: RedisError(.protocolViolation, "")) { _ = try await redis.send(Self.ping) }
            }
        }
    }

    @Test(arguments: ["announced", "sent", "line", "elements"])
    func `a reply over the bound is not collected`(kind: String) async throws {
        let replies = [
            "announced": "$1000000000\r\n", "sent": "$5000\r\n" + String(repeating: "a", count: 5_000) + "\r\n",
            "line": "+" + String(repeating: "a", count: 5_000),
            "elements": "*2000000000\r\n" + String(repeating: ":1\r\n", count: 1_000),
        ]
        let bytes = try #require(replies[kind])
        try await FakeRedis.with { _ in
            ByteBuffer(string: bytes)
        } _: { server in
            try await RedisFixture.withClient(server.url) {
                $0.replyBytesMax = 4_096
            } _: { redis in
                let error = await #expect(throws: RedisError(.protocolViolation, "")) {
                    _ = try await redis.send(Self.ping)
                }
                #expect(error?.isTransient == false)
            }
        }
    }

    @Test func `an announced array takes no memory before its elements come`() async throws {
        try await FakeRedis.with { _ in
            ByteBuffer(string: "*2147483647\r\n:1\r\n")
        } _: { server in
            try await RedisFixture.withClient(server.url) {
                $0.commandTimeout = .milliseconds(100)
            } _: { redis in
                await #expect(throws: RedisError(.timeout, "")) { _ = try await redis.send(Self.ping) }
            }
        }
    }

    @Test func `a server that accepts and never answers is given up in time`() async throws {
        try await FakeRedis.with { _ in
            ByteBuffer()
        } _: { server in
            try await RedisFixture.withClient(server.url) {
                $0.commandTimeout = .milliseconds(100)
            } _: { redis in
                await #expect(throws: RedisError(.timeout, "")) { _ = try await redis.send(Self.ping) }
            }
        }
    }

    @Test func `a server that never answers the log-in is no connection`() async throws {
        try await FakeRedis.with(logIn: nil) { _ in
            ByteBuffer()
        } _: { server in
            try await RedisFixture.withClient(server.url) {
                $0.connectTimeout = .milliseconds(600)
                $0.sendTimeout = .milliseconds(900)
            } _: { redis in
                await #expect(throws: RedisError(.connection, "")) { _ = try await redis.send(Self.ping) }
                // Nothing was written of which it would be unknown whether it has run.
                await #expect(throws: RedisError(.connection, "")) { _ = try await redis.openConnection() }
            }
        }
    }

    @Test func `hanging up in the middle of a reply leaves an unknown outcome`() async throws {
        let half: FakeRedis.Script = { _ in ByteBuffer(string: "$10\r\nabc") }
        try await FakeRedis.with(hangsUp: true, half) { server in
            try await RedisFixture.withClient(server.url) { redis in
                await #expect(throws: RedisError(.outcomeUnknown, "")) { _ = try await redis.send(Self.ping) }
            }
        }
    }

    @Test func `a reply that nobody asked for closes the connection`() async throws {
        try await FakeRedis.with { _ in
            ByteBuffer(string: "+OK\r\n+EXTRA\r\n")
        } _: { server in
            let lines = LogRecorder()
            try await RedisFixture.withClient(server.url, logger: lines.logger) { redis in
                #expect(try await redis.send(Self.ping) == .simple("OK"))
                try await eventually { lines.lines.contains("warning Redis is not reachable") }
            }
        }
    }

    @Test(arguments: 0..<20)
    func `random bytes never do worse than fail the command`(seed: UInt64) async throws {
        try await FakeRedis.with { request in
            var generator = SeededGenerator(seed: seed &* 0x1_0001 &+ UInt64(request.readableBytes))
            let alphabet = Array("+-:$*0123456789\r\n\r\n\r\nab\0".utf8)
            let count = Int.random(in: 1...400, using: &generator)
            return ByteBuffer(bytes: (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 })
        } _: { server in
            try await RedisFixture.withClient(server.url) {
                $0.commandTimeout = .milliseconds(50)
                $0.sendTimeout = .milliseconds(200)
            } _: { redis in
                for _ in 0..<10 {
                    do throws(RedisError) { _ = try await redis.send(Self.ping) } catch {
                        #expect(error.code != .configuration && error.code != .closed)
                    }
                }
            }
        }
    }

    @Test func `what looks like a message is an answer where nobody subscribed`() async throws {
        let message = "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n"
        try await FakeRedis.with { _ in
            ByteBuffer(string: message)
        } _: { server in
            try await RedisFixture.withClient(server.url) { redis in
                let reply = try await redis.send(Self.ping)
                #expect(reply.array?.map(\.string) == ["message", "a", "b"])
            }
        }
    }
}
