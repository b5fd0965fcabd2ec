import CaptureModel
import CoreMetrics
import Logging
import Observability
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient
import ServerProgram
import ServiceLifecycle
import TestSupport
import Waiting

/// What a program does that has passed the check of its start, with what it logs and measures meanwhile.
struct CheckedProgram {
    let recorder = LogRecorder(from: .notice)
    private let registry = PrometheusRegistry()

    /// What it has measured so far.
    func exposition() throws -> StrictExposition { try StrictExposition(registry.render()) }

    /// Runs a body behind the gate of a check that looks at the settings and clocks of servers of its own without a rest,
    /// until the body is over.
    /// - Parameters:
    ///   - now: The program's clock.
    ///   - certificates: The certificates of its own that end soon.
    ///   - before: What is done with the queue before the program starts.
    func whileChecked(
        level: DurabilityLevel = .fsync, now: @escaping TimeSource = Timestamp.systemTime,
        certificates: @escaping @Sendable (Timestamp) -> [SettingProblem] = { _ in [] },
        before: (QueueFixture) async throws -> Void = { _ in },
        _ body: (QueueFixture, PrivatePostgres) async throws -> Void
    ) async throws {
        let durability = StartupCheck.Durability(
            DurabilityDemand(level: level), certificates: certificates, pause: .milliseconds(5))
        try await withMetricsFactory(registry) { try await withCheck(durability, now, before, body) }
    }

    private func withCheck(
        _ durability: StartupCheck.Durability, _ now: @escaping TimeSource,
        _ before: (QueueFixture) async throws -> Void,
        _ body: (QueueFixture, PrivatePostgres) async throws -> Void
    ) async throws {
        let (redis, record) = (try await PrivateRedis.start(), try await PrivatePostgres.start())
        try await withClient(try await record.createDatabase()) { postgres in
            _ = try await Migrator(client: postgres).up()
            try await QueueFixture.with(redis) { fixture in
                try await before(fixture)
                let gate = Latch()
                let check = StartupCheck(
                    servers: StartupCheck.Servers(
                        redis: fixture.client, queue: fixture.queue(), postgres: postgres),
                    durability: durability, gate: gate, now: now, logger: recorder.logger)
                let group = ServiceGroup(services: [check], logger: .quiet)
                let running = Task { try await group.run() }
                defer { running.cancel() }
                try await gate.waitUntilOpen()
                try await body(fixture, record)
                await group.triggerGracefulShutdown()
                try await running.value
            }
        }
        try await redis.stop()
        try await record.stop()
    }
}
