package import CaptureModel
package import CaptureQueue
package import RedisClient

/// Whether Redis keeps accepted captures, at a level of durability.
package struct DurabilityReport: Sendable, Equatable {
    /// The problems found; empty when all is well.
    package let problems: [SettingProblem]

    /// Checks the values of the settings.
    /// - Parameters:
    ///   - settings: As `CONFIG GET` returns them; a setting that the server hides is missing, and counts as a problem.
    ///   - replicas: How many replicas are connected and in step.
    ///   - demand: The required durability.
    ///   - user: Whom the programs log in as; `nil` for the user `default`.
    ///   - endingKeys: How many keys have an expiry.
    package init(
        settings: [String: String], replicas: Int, demand: DurabilityDemand, user: String? = nil, endingKeys: Int = 0
    ) {
        var problems = Self.rules(for: demand).compactMap { $0.problem(settings[$0.setting]) }
        if let problem = MemoryBound.problem(
            settings[MemoryBound.setting], demand: demand, endingKeys: endingKeys)
        {
            problems.append(problem)
        }
        if let problem = DefaultPassword.problem(settings[DefaultPassword.setting], user: user) {
            problems.append(problem)
        }
        if demand.level == .ledger, replicas > 0, let problem = WriteFence.problem(settings) {
            problems.append(problem)
        }
        if demand.bundleStore == .redis, demand.level == .replicated || replicas > 0,
            let problem = ReplicaBuffer.problem(settings[ReplicaBuffer.setting], demand: demand)
        {
            problems.append(problem)
        }
        if demand.level == .replicated, replicas < demand.replicas {
            problems.append(
                SettingProblem(
                    setting: "Redis's number of connected replicas", value: "\(replicas)",
                    needed: "\(demand.replicas) or more (queue.replicas)",
                    consequence: "uploads are answered with 503 until they are there", gravity: .passing
                )
            )
        }
        self.problems = problems
    }

    /// Reads the settings that the level needs from the server.
    ///
    /// If the server forbids that, the missing settings count as a problem.
    package static func read(from client: RedisClient, demand: DurabilityDemand) async throws(QueueError) -> Self {
        var names =
            rules(for: demand).map(\.setting) + [MemoryBound.setting, ReplicaBuffer.setting, DefaultPassword.setting]
        var replicas = 0
        switch demand.level {
        case .relaxed: break
        case .replicated: replicas = try await Self.replicas(from: client)
        case .fsync, .ledger:
            if demand.level == .ledger { names += WriteFence.settings }
            do throws(QueueError) {
                replicas = try await Self.replicas(from: client)
            } catch {
                // Nothing is lost by what they are asked for here: a server may keep it to itself.
                guard error.code == .refused else { throw error }
            }
        }
        return DurabilityReport(
            settings: try await settings(names, from: client), replicas: replicas, demand: demand,
            user: client.username, endingKeys: try await endingKeys(on: client))
    }

    /// How many keys of all the server's databases have an expiry; 0 if it keeps that to itself.
    private static func endingKeys(on client: RedisClient) async throws(QueueError) -> Int {
        let databases: [String: String]
        do throws(QueueError) {
            databases = try await client.info(["keyspace"])
        } catch {
            guard error.code == .refused else { throw error }
            return 0
        }
        // `db0:keys=3,expires=2,avg_ttl=0`
        return databases.values.flatMap { $0.split(separator: ",") }
            .compactMap { $0.hasPrefix("expires=") ? Int($0.dropFirst("expires=".count)) : nil }
            .reduce(0) { $0.addingClamped($1) }
    }

    /// The values of some settings; none if the server forbids reading them.
    static func settings(
        _ names: [String], from client: RedisClient
    ) async throws(QueueError) -> [String: String] {
        do {
            let command = RedisCommand("CONFIG", ["GET"] + names.map { .string($0) })
            let reply = try await client.send(command).array ?? []
            var settings: [String: String] = [:]
            for (name, value) in reply.pairs { settings[name] = value.string }
            return settings
        } catch let error where error.code == .server && !error.isTransient {
            return [:]
        } catch {
            throw QueueError(error)
        }
    }

    /// The replicas that have loaded their data and follow the stream of writes: what `WAIT` counts.
    private static func replicas(from client: RedisClient) async throws(QueueError) -> Int {
        try await client.info(["replication"]).count { $0.key.hasPrefix("slave") && $0.value.contains("state=online") }
    }

    // MARK: Rules

    private struct Rule {
        let setting: String
        let needed: String
        let consequence: String

        func problem(_ value: String?) -> SettingProblem? {
            guard value != needed else { return nil }
            return SettingProblem(
                setting: "Redis's \(setting)", value: value, needed: needed, consequence: consequence)
        }
    }

    /// The rules for a level of durability.
    ///
    /// With a ledger and the bytes elsewhere, Redis may be lost altogether. With the bytes in Redis, the ledger only
    /// names the captures whose bytes are lost.
    private static func rules(for demand: DurabilityDemand) -> [Rule] {
        let isRecoverable = demand.level == .ledger && demand.bundleStore != .redis
        return (isRecoverable ? [] : diskRules(for: demand.level)) + [
            Rule(
                setting: "maxmemory-policy", needed: "noeviction",
                consequence: "a full memory evicts captures and tokens"
            )
        ]
    }

    private static func diskRules(for level: DurabilityLevel) -> [Rule] {
        let lost = level == .ledger ? "the bytes of captures (they end as BUNDLE_MISSING)" : "captures"
        let answered = "loses \(lost) that were answered with 202"
        return [
            Rule(setting: "appendonly", needed: "yes", consequence: "a restart \(answered)"),
            Rule(setting: "appendfsync", needed: "always", consequence: "a power cut \(answered)"),
            Rule(
                setting: "no-appendfsync-on-rewrite", needed: "no",
                consequence: "a power cut during a rewrite \(answered)"
            ),
        ]
    }
}
