import Backoff
import Logging
import NIOCore
import NIOPosix
import RedisClient
import TestSupport

/// What the tests of the Redis client share: a running client that goes when its test ends.
enum RedisFixture {
    /// Runs a client against a URL for the length of a test.
    static func withClient(
        _ url: String, connections: Int = 1, logger: Logger = .quiet,
        configure: (inout RedisConfiguration) -> Void = { _ in },
        _ body: (RedisClient) async throws -> Void
    ) async throws {
        var configuration = try RedisConfiguration(url: url)
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(50), jitter: .full)
        configure(&configuration)
        let client = RedisClient(
            configuration: configuration, eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            connections: connections, logger: logger
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            try await body(client)
        }
    }
}
