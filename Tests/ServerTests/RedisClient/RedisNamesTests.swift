import Dispatch
import HostNames
import NIOCore
import NIOPosix
import RedisClient
import Synchronization
import TestSupport
import Testing

@Suite("Redis by name", .timeLimit(.minutes(2)))
struct RedisNamesTests {
    private func named(_ server: FakeRedis) -> String {
        server.url.replacing("127.0.0.1", with: "redis.example")
    }

    @Test func `a connection is made again to the last known address while the lookup hangs`() async throws {
        let hang = DispatchSemaphore(value: 0)
        let lookups = Atomic(0)
        let names = HostNames(lookUp: { _ throws(NameFault) in
            if lookups.add(1, ordering: .relaxed).oldValue > 0 { hang.wait() }
            return ["127.0.0.1"]
        })
        // Each answer is the last one of its connection.
        try await FakeRedis.with(hangsUp: true, { _ in ByteBuffer(string: "+PONG\r\n") }) { server in
            try await RedisFixture.withClient(named(server), names: names) { redis async throws in
                for _ in 0..<3 { try await eventually { (try? await redis.ping()) != nil } }
            }
        }
        // The lookup is a thread's, which nobody waits for.
        try await eventually { lookups.load(ordering: .relaxed) >= 2 }
        hang.signal()
    }

    @Test func `an address that takes connections and never answers is not the only one that is tried`() async throws {
        try await FakeRedis.with({ _ in ByteBuffer(string: "+PONG\r\n") }) { server in
            let port = try #require(Int(server.url.split(separator: ":").last ?? ""))
            let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.2", port: port).get()
            let names = HostNames(lookUp: { _ throws(NameFault) in ["127.0.0.2", "127.0.0.1"] })
            try await RedisFixture.withClient(
                named(server), names: names, configure: { $0.connectTimeout = .seconds(2) }
            ) { redis async throws in
                try await eventually { (try? await redis.ping()) != nil }
            }
            try await silent.close()
        }
    }
}
