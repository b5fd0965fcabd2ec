import Dispatch
import HostNames
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import RedisClient

@Suite("What NIO is told of a host's addresses", .timeLimit(.minutes(1)))
struct NameResolverTests {
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

    private func resolver(_ names: HostNames, turn: Int = 0) -> NameResolver {
        NameResolver(names, on: eventLoop, by: .now + .seconds(2), turn: turn)
    }

    private func texts(_ addresses: [SocketAddress]) -> [String] { addresses.compactMap(\.ipAddress) }

    @Test(arguments: [
        (0, ["192.0.2.7", "2001:db8::1", "192.0.2.8"]), (1, ["2001:db8::1", "192.0.2.8", "192.0.2.7"]),
        (5, ["192.0.2.8", "192.0.2.7", "2001:db8::1"]),
    ])
    func `the addresses that NIO is told are all of them in the system's order, counted round`(
        turn: Int, order: [String]
    ) async throws {
        let names = HostNames(lookUp: { _ throws(NameFault) in ["192.0.2.7", "2001:db8::1", "192.0.2.8"] })
        let resolver = resolver(names, turn: turn)
        let first = resolver.initiateAAAAQuery(host: "redis.example", port: 6379)
        let second = resolver.initiateAQuery(host: "redis.example", port: 6379)
        let found = try await first.get()
        #expect(texts(found) == order && found.allSatisfy { $0.port == 6379 })
        #expect(try await second.get().isEmpty)
    }

    @Test func `the addresses that NIO is told are the last ones that were found while a lookup hangs`() async throws {
        let hang = DispatchSemaphore(value: 0)
        let lookups = Atomic(0)
        let names = HostNames(lookUp: { _ throws(NameFault) in
            if lookups.add(1, ordering: .relaxed).oldValue > 0 { hang.wait() }
            return ["192.0.2.7"]
        })
        for _ in 0..<3 {
            let found = resolver(names).initiateAAAAQuery(host: "redis.example", port: 6379)
            #expect(texts(try await found.get()) == ["192.0.2.7"])
        }
        hang.signal()
    }

    @Test func `the addresses that NIO is told are not waited for any more when NIO has given up`() async throws {
        let hang = DispatchSemaphore(value: 0)
        let names = HostNames(lookUp: { _ throws(NameFault) in
            hang.wait()
            return ["192.0.2.7"]
        })
        let resolver = resolver(names)
        let found = resolver.initiateAAAAQuery(host: "redis.example", port: 6379)
        resolver.cancelQueries()
        await #expect(throws: ChannelError.self) { _ = try await found.get() }
        hang.signal()
    }

    @Test func `NIO is told the system's words where there are no addresses`() async throws {
        let names = HostNames(lookUp: { name throws(NameFault) in throw NameFault(name, "no answer") })
        let found = resolver(names).initiateAQuery(host: "redis.example", port: 6379)
        await #expect(throws: NameFault("redis.example", "no answer")) { _ = try await found.get() }
    }
}
