import Foundation
import NIOCore
import RedisClient
import Synchronization
import TestSupport
import Testing

@Suite("Redis subscriptions", .timeLimit(.minutes(3)))
struct RedisSubscriptionTests {
    @Test func `messages of every channel arrive in order`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) { redis in
            let subscription = try await redis.subscribe(to: ["events:a", "events:b"])
            for index in 0..<200 {
                let channel: RedisArgument = index.isMultiple(of: 2) ? "events:a" : "events:b"
                _ = try await redis.send(RedisCommand("PUBLISH", [channel, .integer(index)]))
            }
            var messages = subscription.makeAsyncIterator()
            for index in 0..<200 {
                let message = try await messages.next()
                #expect(message?.channel == (index.isMultiple(of: 2) ? "events:a" : "events:b"))
                #expect(message?.payload == ByteBuffer(string: "\(index)"))
            }
            #expect(subscription.droppedCount == 0)
        }
    }

    @Test func `a slow reader loses the oldest messages and can tell`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) {
            $0.subscriptionBufferMax = 4
        } _: { redis in
            let subscription = try await redis.subscribe(to: ["events"])
            for index in 0..<10 { _ = try await redis.send(RedisCommand("PUBLISH", ["events", .integer(index)])) }
            try await eventually { subscription.droppedCount == 6 }
            var messages = subscription.makeAsyncIterator()
            #expect(try await messages.next()?.payload == ByteBuffer(string: "6"))
        }
    }

    @Test func `a lost server ends the subscription with the reason`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) { redis in
            let subscription = try await redis.subscribe(to: ["events"])
            try await server.kill()
            await #expect(throws: RedisError(.connection, "")) { for try await _ in subscription {} }
        }
    }

    @Test func `a server that falls silent ends the subscription`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) {
            $0.subscriptionPingInterval = .milliseconds(20)
            $0.commandTimeout = .seconds(30)
        } _: { redis in
            let subscription = try await redis.subscribe(to: ["events"])
            // Several pings are answered between messages before it falls silent.
            var messages = subscription.makeAsyncIterator()
            for index in 0..<5 {
                try await eventually {
                    try await server.cli("CLIENT", "LIST", "TYPE", "pubsub").contains("cmd=ping")
                }
                _ = try await redis.send(RedisCommand("PUBLISH", ["events", .integer(index)]))
                #expect(try await messages.next()?.payload == ByteBuffer(string: "\(index)"))
            }
            server.signal(SIGSTOP)
            defer { server.signal(SIGCONT) }
            await #expect(throws: RedisError(.timeout, "")) { _ = try await messages.next() }
        }
    }

    @Test func `a ping that is refused does not end the watch over a subscription`() async throws {
        let pings = Atomic(0)
        try await FakeRedis.with { request in
            if String(buffer: request).contains("SUBSCRIBE") {
                return ByteBuffer(string: "*3\r\n$9\r\nsubscribe\r\n$6\r\nevents\r\n:1\r\n")
            }
            pings.add(1, ordering: .relaxed)
            return ByteBuffer(string: "-BUSY a script runs\r\n")
        } _: { server in
            try await RedisFixture.withClient(server.url) {
                $0.subscriptionPingInterval = .milliseconds(10)
            } _: { redis in
                let subscription = try await redis.subscribe(to: ["events"])
                try await eventually { pings.load(ordering: .relaxed) >= 3 }
                #expect(subscription.droppedCount == 0)
            }
        }
    }

    @Test func `a reader that goes takes its connection along`() async throws {
        let server = try await PrivateRedis.start()
        try await RedisFixture.withClient(server.url) { redis in
            let reader = Task {
                for try await _ in try await redis.subscribe(to: ["events"]) {}
            }
            try await eventually { try await subscribers(server) == 1 }
            reader.cancel()
            _ = await reader.result
            try await eventually { try await subscribers(server) == 0 }
            do {
                let unread = try await redis.subscribe(to: ["events"])
                #expect(try await subscribers(server) == 1)
                #expect(unread.droppedCount == 0)
            }
            try await eventually { try await subscribers(server) == 0 }
        }
    }

    @Test func `a channel that the user may not hear is refused, and nothing waits`() async throws {
        let server = try await PrivateRedis.start(
            ["--user", "ear", "on", ">x", "~*", "+@all", "resetchannels", "&open"], tcp: true)
        let url = server.url.replacing("redis://", with: "redis://ear:x@")
        try await RedisFixture.withClient(url) { redis in
            let error = await #expect(throws: RedisError(.server, "")) {
                _ = try await redis.subscribe(to: ["open", "shut"])
            }
            #expect(error?.serverPrefix == "NOPERM")
            try await eventually {
                try await server.cli("CLIENT", "LIST").split(separator: "\n").count { $0.contains("user=ear") } == 1
            }
        }
    }

    private func subscribers(_ server: PrivateRedis) async throws -> Int {
        try await server.cli("CLIENT", "LIST", "TYPE", "pubsub").split(separator: "\n").count { $0.contains("id=") }
    }
}
