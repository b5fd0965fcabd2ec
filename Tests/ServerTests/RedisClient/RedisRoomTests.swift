import Foundation
import NIOCore
import RedisClient
import TestSupport
import Testing

@Suite("Redis commands for which there is no room", .timeLimit(.minutes(2)))
struct RedisRoomTests {
    @Test func `a command more than the backlog takes is refused at once`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) {
            $0.backlogMax = 8
        } _: { redis in
            try await redis.ping()
            server.signal(SIGSTOP)
            let waiting = (0..<8).map { _ in Task { try await redis.ping() } }
            try await eventually { redis.outstandingCommands == 8 }
            await #expect(throws: RedisError(.backlogFull, "")) { try await redis.ping() }
            server.signal(SIGCONT)
            for task in waiting { try await task.value }
            try await redis.ping()
        }
    }

    @Test func `bytes are bounded as commands are`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) {
            $0.backlogBytesMax = 4_096
        } _: { redis in
            try await redis.ping()
            server.signal(SIGSTOP)
            let payload = RedisArgument.bytes(Array(repeating: 0, count: 3_000))
            let first = Task { try await redis.send(RedisCommand("SET", ["a", payload])) }
            try await eventually { redis.outstandingCommands == 1 }
            await #expect(throws: RedisError(.backlogFull, "")) {
                _ = try await redis.send(RedisCommand("SET", ["a", payload]))
            }
            server.signal(SIGCONT)
            #expect(try await first.value == .simple("OK"))
        }
    }

    /// A pipeline that is full of commands, and a socket that is full of bytes.
    @Test(arguments: [(1, 1), (1_024, 8 << 20)])
    func `a command that finds no room in time is told that the connection is busy, and the server counts as there`(
        depth: Int, bytes: Int
    ) async throws {
        let server = try await PrivateRedis.start()
        let lines = LogRecorder()
        try await RedisFixture.withClient(server.url, logger: lines.logger) {
            $0.pipelineDepthMax = depth
            $0.sendTimeout = .milliseconds(100)
        } _: { redis in
            try await eventually { redis.isConnected }
            server.signal(SIGSTOP)
            defer { server.signal(SIGCONT) }
            let payload = RedisArgument.bytes(Array(repeating: 0, count: bytes))
            let first = redis.sendFuture(RedisCommand("SET", ["key", payload]))
            let fault = await #expect(throws: RedisError(.busy, "")) { try await redis.ping() }
            #expect(fault?.isTransient == true)
            #expect(fault?.message.hasPrefix("no room in time among the commands under way to ") == true)
            #expect(redis.isConnected)
            server.signal(SIGCONT)
            #expect(try await first.get() == .simple("OK"))
            try await redis.ping()
        }
        #expect(lines.lines == ["info Redis is reachable"])
    }
}
