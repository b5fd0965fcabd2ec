import CaptureModel
import Logging
import Observability
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient

/// Checks the servers' durability settings again and again, and measures how full Redis is.
///
/// After a failover another server answers, with settings of its own. The ends of certificates draw near.
///
/// It reports new problems and mended ones in the log and by a gauge, but ends no program: a fleet that stopped for a
/// setting would be an outage.
struct DurabilityWatch: Sendable {
    /// The problems of each server, and those of the program's own certificates.
    struct Findings: Sendable {
        var certificates: [SettingProblem] = []
        var redis: [SettingProblem] = []
        var postgres: [SettingProblem] = []
    }

    let redis: RedisClient
    let postgres: PostgresClient
    let demand: DurabilityDemand
    /// The certificates that end soon.
    let certificates: @Sendable () -> [SettingProblem]
    /// The pause between two looks.
    let pause: Duration
    let logger: Logger

    /// Looks until it is cancelled.
    /// - Parameter known: The problems that were reported before.
    func run(after known: Findings) async {
        var known = known
        await measureMemory()
        await again(after: pause) {
            await measureMemory()
            await look(&known)
            count(known)
        }
    }

    /// Sets the gauge.
    ///
    /// At `relaxed` a possible loss is not counted: nothing was promised.
    func count(_ known: Findings) {
        let problems = known.certificates + known.redis + known.postgres
        for gravity in SettingProblem.Gravity.allCases {
            let isPromised = gravity != .loss || demand.level != .relaxed
            let count = isPromised ? problems.count { $0.gravity == gravity } : 0
            CaptureMetrics.durabilityProblems(count, gravity)
        }
    }

    /// Sets the gauges of Redis's memory; if Redis does not answer, the last ones stay.
    private func measureMemory() async {
        guard let memory = try? await RedisMemory.read(from: redis) else { return }
        CaptureMetrics.redisMemory(taken: memory.taken, limit: memory.limit)
    }

    /// Looks once; for a server that does not answer, the known problems stay.
    ///
    /// That it is away is reported by the code that works with it.
    private func look(_ known: inout Findings) async {
        let ending = certificates()
        tell(ending, after: known.certificates)
        known.certificates = ending
        if let found = await problemsOfRedis() {
            tell(found, after: known.redis)
            known.redis = found
        }
        if !Task.isCancelled, let found = await problemsOfPostgres() {
            tell(found, after: known.postgres)
            known.postgres = found
        }
    }

    private func problemsOfRedis() async -> [SettingProblem]? {
        do { return try await DurabilityReport.read(from: redis, demand: demand).problems } catch { return nil }
    }

    private func problemsOfPostgres() async -> [SettingProblem]? {
        do { return try await RecordDurability.read(from: postgres).problems } catch { return nil }
    }

    private func tell(_ found: [SettingProblem], after known: [SettingProblem]) {
        for problem in found where !known.contains(where: { $0.isSame(as: problem) }) {
            let level: Logger.Level = problem.gravity == .loss ? .error : .warning
            logger.log(level: level, problem.gravity.message, metadata: ["problem": "\(problem)"])
        }
        let settings = Set(found.map(\.setting))
        for problem in known where !settings.contains(problem.setting) {
            logger.notice("a server is as it should be again", metadata: ["setting": "\(problem.setting)"])
        }
    }
}

extension SettingProblem.Gravity {
    /// The log message for a problem.
    var message: Logger.Message {
        switch self {
        case .loss: "accepted captures could be lost"
        case .passing: "not everything is there yet"
        case .precaution: "a setting invites trouble"
        }
    }
}
