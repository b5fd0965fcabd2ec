import Foundation
import TestSupport
import Testing

/// A server that is away in one of the ways in which servers are.
enum Outage: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case redisKilled, redisStopped, postgresKilled, postgresStopped

    var testDescription: String { rawValue }

    /// As the log names it.
    var server: String { isRedis ? "redis" : "postgres" }
    var isRedis: Bool { self == .redisKilled || self == .redisStopped }
    /// Whether the server is gone, and not only silent: whoever asks it can know at once.
    var isKilled: Bool { self == .redisKilled || self == .postgresKilled }

    func begin(_ redis: PrivateRedis, _ postgres: PrivatePostgres) async throws {
        switch self {
        case .redisKilled: try await redis.kill()
        case .redisStopped: redis.signal(SIGSTOP)
        case .postgresKilled: try await postgres.kill()
        case .postgresStopped: try await postgres.signalAll(SIGSTOP)
        }
    }

    func end(_ redis: PrivateRedis, _ postgres: PrivatePostgres) async throws {
        switch self {
        case .redisKilled: try await redis.restart()
        case .redisStopped: redis.signal(SIGCONT)
        case .postgresKilled: try await postgres.restart()
        case .postgresStopped: try await postgres.signalAll(SIGCONT)
        }
    }
}
