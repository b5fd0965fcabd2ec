import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The stores of gateways that stand for one another: what tests of gateways rest on is what Redis does.
enum ConformingSharedStores: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case memory
    case redis

    var testDescription: String { rawValue }

    /// Lends empty stores.
    func with(_ body: (SharedStores) async throws -> Void) async throws {
        switch self {
        case .memory:
            let time = ManualTime()
            let limiter = MemoryRateLimiter(time: time.source)
            try await body(
                SharedStores(
                    challenges: MemoryChallengeStore(time: time.source), limiters: [limiter, limiter],
                    ageOldest: { limiter.ageOldest(of: $0, by: .seconds(3_601)) }))
        case .redis:
            try await QueueFixture.with { fixture in
                let queue = fixture.keyspace.queue
                let limiters = (0..<2).map { _ in
                    RedisRateLimiter(client: fixture.client, prefix: "rate:\(queue):", logger: fixture.logger)
                }
                try await body(
                    SharedStores(
                        challenges: RedisChallengeStore(client: fixture.client, prefix: "challenge:\(queue):"),
                        limiters: limiters,
                        ageOldest: { client in
                            let now = try #require(try await fixture.redis("TIME").array?.first?.int)
                            let key = RedisArgument.string("rate:\(queue):\(client)")
                            try await fixture.redis("LSET", key, 0, .integer((now - 3_601) * 1000))
                        }))
            }
        }
    }
}

/// The stores that gateways share, as two of them see them.
struct SharedStores: Sendable {
    let challenges: any ChallengeStore
    let limiters: [any RateLimiter]
    /// The oldest request of a client is more than an hour old.
    let ageOldest: @Sendable (_ client: String) async throws -> Void
}
