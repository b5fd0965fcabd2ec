import Foundation
import NIOCore
import NIOPosix
import RedisClient
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@Suite("The orderly shutdown of a Redis client", .timeLimit(.minutes(2)))
struct RedisShutdownTests {
    @Test func `orderly shutdown waits for the answers under way`() async throws {
        let server = try await PrivateRedis.start()
        let client = RedisClient(
            configuration: try RedisConfiguration.patient(server.url),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: .quiet
        )
        let group = ServiceGroup(services: [client], logger: .quiet)
        let run = Task { try await group.run() }
        try await client.ping()
        server.signal(SIGSTOP)
        let last = Task { try await client.send(RedisCommand("ECHO", ["last"])) }
        try await eventually { client.outstandingCommands == 1 }
        await group.triggerGracefulShutdown()
        let isRefusing = Atomic(false)
        try await eventually {
            client.sendFuture(RedisCommand("PING")).whenFailure { error in
                if (error as? RedisError)?.code == .closed { isRefusing.store(true, ordering: .relaxed) }
            }
            return isRefusing.load(ordering: .relaxed)
        }
        server.signal(SIGCONT)
        #expect(try await last.value.string == "last")
        try await run.value
    }

    @Test func `orderly shutdown is of all connections at once`() async throws {
        let server = try await PrivateRedis.start()
        let client = RedisClient(
            configuration: try RedisConfiguration.patient(server.url),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, connections: 2, logger: .quiet
        )
        let group = ServiceGroup(services: [client], logger: .quiet)
        let run = Task { try await group.run() }
        var ids: Set<Int?> = []
        try await eventually {
            let id = try await client.send(RedisCommand("CLIENT", ["ID"])).int
            ids.insert(id)
            return ids.count == 2
        }
        server.signal(SIGSTOP)
        // The connections take turns.
        let last = (0..<2).map { _ in client.sendFuture(RedisCommand("ECHO", ["last"])) }
        await group.triggerGracefulShutdown()
        let refusing = Mutex<Set<Int>>([])
        var count = 0
        try await eventually {
            let turn = count % 2
            count += 1
            client.sendFuture(RedisCommand("PING")).whenFailure { error in
                guard (error as? RedisError)?.code == .closed else { return }
                refusing.withLock { _ = $0.insert(turn) }
            }
            return refusing.withLock { $0.count } == 2
        }
        server.signal(SIGCONT)
        for answer in last { #expect(try await answer.get().string == "last") }
        try await run.value
    }
}
