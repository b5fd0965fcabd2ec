import HostNames
import Logging
import NIOCore
import NIOPosix
import RedisClient
import TestSupport
import Waiting

/// What the tests of the Redis client share: a running client that goes when its test ends.
enum RedisFixture {
    /// Runs a client against a URL for the length of a test.
    static func withClient(
        _ url: String, connections: Int = 1, logger: Logger = .quiet, names: HostNames = .system,
        configure: (inout RedisConfiguration) -> Void = { _ in },
        _ body: (RedisClient) async throws -> Void
    ) async throws {
        var configuration = try RedisConfiguration.patient(url)
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(50), jitter: .full)
        configure(&configuration)
        let client = RedisClient(
            configuration: configuration, eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            connections: connections, logger: logger, names: names
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            try await body(client)
        }
    }
}

extension RedisConfiguration {
    /// A server at an address that is waited for: the machine may be busy with everybody's tests, and a test that is
    /// about one of these bounds sets it.
    static func patient(_ url: String) throws(RedisError) -> RedisConfiguration {
        var configuration = try RedisConfiguration(url: url)
        configuration.connectTimeout = .seconds(30)
        configuration.commandTimeout = .seconds(60)
        configuration.sendTimeout = .seconds(60)
        configuration.reconnectGrace = .seconds(60)
        return configuration
    }
}
