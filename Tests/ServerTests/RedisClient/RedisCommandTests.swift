import Foundation
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import RedisClient

@Suite("Redis commands", .timeLimit(.minutes(2)))
struct RedisCommandTests {
    @Test func `every kind of reply arrives as what it is`() async throws {
        let server = try await PrivateRedis.shared()
        try await RedisFixture.withClient(server.url) { redis in
            #expect(try await redis.send(RedisCommand("PING")) == .simple("PONG"))
            #expect(try await redis.send(RedisCommand("SET", ["types:a", "1"])) == .simple("OK"))
            #expect(try await redis.send(RedisCommand("INCRBY", ["types:a", .integer(41)])) == .integer(42))
            #expect(try await redis.send(RedisCommand("GET", ["types:a"])) == .bulk(ByteBuffer(string: "42")))
            #expect(try await redis.send(RedisCommand("GET", ["types:none"])).isNull)
            #expect(
                try await redis.send(RedisCommand("MGET", ["types:a", "types:none"])).array?.map(\.int) == [42, nil])
            #expect(try await redis.send(RedisCommand("LRANGE", ["types:none", 0, -1])) == .array([]))
            let nested = try await redis.send(RedisCommand("EVAL", ["return {1,{2,{3,'x'}},false}", 0]))
            #expect(
                nested
                    == .array([
                        .integer(1), .array([.integer(2), .array([.integer(3), .bulk(ByteBuffer(string: "x"))])]),
                        .null,
                    ]))
        }
    }

    @Test func `bytes of every value survive the way there and back`() async throws {
        let server = try await PrivateRedis.shared()
        try await RedisFixture.withClient(server.url) { redis in
            let bytes = (0...255).map { UInt8($0) } + Array("\r\n$3\r\n".utf8)
            _ = try await redis.send(RedisCommand("SET", ["bytes:all", .bytes(bytes)]))
            #expect(try await redis.send(RedisCommand("GET", ["bytes:all"])) == .bulk(ByteBuffer(bytes: bytes)))
            _ = try await redis.send(RedisCommand("SET", ["bytes:none", .bytes([])]))
            #expect(try await redis.send(RedisCommand("GET", ["bytes:none"])) == .bulk(ByteBuffer()))
        }
    }

    @Test func `ten megabytes go there and back between small commands`() async throws {
        let server = try await PrivateRedis.shared()
        try await RedisFixture.withClient(server.url) { redis in
            var large = ByteBuffer()
            for index in 0..<(10 << 20) / 8 { large.writeInteger(UInt64(index)) }
            let sent = large
            async let ping = redis.send(RedisCommand("PING"))
            async let set = redis.send(RedisCommand("SET", ["large", .buffer(sent)]))
            async let echo = redis.send(RedisCommand("ECHO", ["after"]))
            #expect(try await (ping, set, echo) == (.simple("PONG"), .simple("OK"), .bulk(ByteBuffer(string: "after"))))
            #expect(try await redis.send(RedisCommand("GET", ["large"])).buffer == large)
            _ = try await redis.send(RedisCommand("DEL", ["large"]))
        }
    }

    @Test(arguments: [(1, 1_024), (1, 3), (4, 64)])
    func `thousands of concurrent commands each get their own reply`(connections: Int, depth: Int) async throws {
        let server = try await PrivateRedis.shared()
        try await RedisFixture.withClient(server.url, connections: connections) {
            $0.pipelineDepthMax = depth
            $0.sendTimeout = .seconds(60)
        } _: { redis in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<4_000 {
                    group.addTask {
                        try await redis.send(RedisCommand("ECHO", [.integer(index)])).int == index
                    }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
            #expect(redis.outstandingCommands == 0)
        }
    }

    @Test func `a batch is answered in order, errors as values`() async throws {
        let server = try await PrivateRedis.shared()
        try await RedisFixture.withClient(server.url) { redis in
            let replies = try await redis.pipeline([
                RedisCommand("SET", ["batch:a", "text"]), RedisCommand("INCR", ["batch:a"]),
                RedisCommand("GET", ["batch:a"]),
            ])
            #expect(replies[0] == .simple("OK"))
            #expect(replies[1].error?.prefix == "ERR")
            #expect(replies[2].string == "text")
            #expect(try await redis.pipeline([]).isEmpty)
        }
    }

    /// A worker that is killed then leaves calls behind that Redis runs and nobody has the answers of.
    @Test func `a batch is told to be written before its first answer is read, and is on its way by then`()
        async throws
    {
        let server = try await PrivateRedis.shared()
        try await RedisFixture.withClient(server.url) { redis in
            try await redis.ping()
            let isRun = DispatchSemaphore(value: 0)
            let watch = Task {
                try await eventually { try await server.cli("EXISTS", "written:a").hasPrefix("1") }
                isRun.signal()
            }
            let unanswered = Mutex<[Int]>([])
            let replies = try await redis.pipeline(
                [RedisCommand("SET", ["written:a", "1"]), RedisCommand("ECHO", ["b"])],
                onWritten: {
                    // Held up here, the loop writes nothing more.
                    let hasRun = isRun.wait(timeout: .now() + 4) == .success
                    unanswered.withLock { $0.append(hasRun ? redis.outstandingCommands : 0) }
                })
            try await watch.value
            #expect(replies.map(\.string) == ["OK", "b"])
            #expect(unanswered.withLock { $0 } == [2], "once, and neither of the two was answered by then")
        }
    }

    @Test func `a batch longer than the pipeline is deep goes through alone`() async throws {
        let server = try await PrivateRedis.shared()
        try await RedisFixture.withClient(server.url) {
            $0.pipelineDepthMax = 2
        } _: { redis in
            let batch = (0..<50).map { RedisCommand("ECHO", [.integer($0)]) }
            let numbers = try await redis.pipeline(batch).map(\.int)
            #expect(numbers == Array(0..<50))
        }
    }

    @Test func `an error reply is thrown with its prefix`() async throws {
        let server = try await PrivateRedis.shared()
        try await RedisFixture.withClient(server.url) { redis in
            let noGroup = RedisCommand("XREADGROUP", ["GROUP", "g", "c", "STREAMS", "errors:none", ">"])
            let error = await #expect(throws: RedisError(.server, "")) { _ = try await redis.send(noGroup) }
            #expect(error?.serverPrefix == "NOGROUP")
            #expect(error?.isTransient == false)
            let fenced = RedisCommand("EVAL", ["return redis.error_reply('FENCED not yours')", 0])
            let own = await #expect(throws: RedisError.self) { _ = try await redis.send(fenced) }
            #expect(own?.serverPrefix == "FENCED")
        }
    }

    @Test func `a server without memory says so, and that passes`() async throws {
        let server = try await PrivateRedis.start(["--maxmemory", "1mb"])
        try await RedisFixture.withClient(server.url) { redis in
            let error = await #expect(throws: RedisError.self) {
                for index in 0..<100 {
                    let key = RedisArgument.string("k\(index)")
                    _ = try await redis.send(RedisCommand("SET", [key, .bytes(Array(repeating: 1, count: 100_000))]))
                }
            }
            #expect(error?.serverPrefix == "OOM")
            #expect(error?.isTransient == true)
        }
    }

    @Test func `a future is answered on the connection's event loop`() async throws {
        let server = try await PrivateRedis.shared()
        try await RedisFixture.withClient(server.url) { redis in
            let reply = try await redis.sendFuture(RedisCommand("ECHO", ["future"])).get()
            #expect(reply.string == "future")
            let failing = redis.sendFuture(RedisCommand("NOSUCHCOMMAND"))
            await #expect(throws: RedisError(.server, "")) { _ = try await failing.get() }
        }
    }

    @Test func `a cancelled caller gives up at once and the replies behind keep their order`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) { redis in
            server.signal(SIGSTOP)
            let given = Task { try await redis.send(RedisCommand("ECHO", ["given up"])) }
            try await eventually { redis.outstandingCommands > 0 || !redis.isConnected }
            given.cancel()
            let kept = Task { try await redis.send(RedisCommand("ECHO", ["kept"])) }
            await #expect(throws: RedisError(.cancelled, "")) { _ = try await given.value }
            server.signal(SIGCONT)
            #expect(try await kept.value.string == "kept")
        }
    }

    @Test func `a task cancelled before it sends gets no answer`() async throws {
        let server = try await PrivateRedis.shared()
        try await RedisFixture.withClient(server.url) { redis in
            try await redis.ping()
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await redis.send(RedisCommand("BLPOP", ["cancel:none", 1]))
            }
            await #expect(throws: RedisError(.cancelled, "")) { try await late.value }
        }
    }

    @Test func `a client that has ended refuses commands`() async throws {
        let server = try await PrivateRedis.shared()
        var client: RedisClient?
        try await RedisFixture.withClient(server.url) { redis in
            try await redis.ping()
            client = redis
        }
        let ended = try #require(client)
        await #expect(throws: RedisError(.closed, "")) { try await ended.ping() }
    }
}
