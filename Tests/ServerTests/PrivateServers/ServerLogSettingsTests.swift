import TestSupport
import Testing

/// A private server is known to be ready by what it prints, which a file of settings may send elsewhere.
@Suite("Where servers write their logs")
struct ServerLogSettingsTests {
    @Test("a private PostgreSQL starts whatever its settings say of the log", .timeLimit(.minutes(3)))
    func startsPostgresWithLogsElsewhere() async throws {
        let server = try await PrivatePostgres.start(["logging_collector=on", "log_destination=csvlog"])
        let answer = try await server.psql("SHOW logging_collector")
        #expect(answer.split(separator: "\n") == ["off"])
    }

    @Test("a private Redis starts whatever its settings say of the log", .timeLimit(.minutes(3)))
    func startsRedisWithLogsElsewhere() async throws {
        let server = try await PrivateRedis.start(["--logfile", "redis.log", "--daemonize", "yes"])
        let answer = try await server.cli("PING")
        #expect(answer.split(separator: "\n") == ["PONG"])
    }
}
