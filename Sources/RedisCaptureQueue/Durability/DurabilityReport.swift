package import CaptureModel
package import CaptureQueue
package import RedisClient

/// Whether Redis keeps what is accepted, at a level of durability.
package struct DurabilityReport: Sendable, Equatable {
    /// What is not as it should be; empty when all is well.
    package let problems: [DurabilityProblem]

    /// Looks at the values of the settings.
    /// - Parameters:
    ///   - settings: As `CONFIG GET` tells them; what the server does not tell is missing, and counts as a problem.
    ///   - replicas: How many replicas are connected and in step.
    ///   - demand: What they are held to.
    package init(settings: [String: String], replicas: Int, demand: DurabilityDemand) {
        var problems = Self.rules(for: demand).compactMap { $0.problem(settings[$0.setting]) }
        if let problem = MemoryBound.problem(settings[MemoryBound.setting], demand: demand) { problems.append(problem) }
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
                DurabilityProblem(
                    setting: "Redis's number of connected replicas", value: "\(replicas)",
                    needed: "\(demand.replicas) or more (queue.replicas)",
                    consequence: "uploads are answered with 503 until they are there", gravity: .passing
                )
            )
        }
        self.problems = problems
    }

    /// Reads from the server what the level asks for.
    ///
    /// A server that forbids it tells no settings, which counts as a problem.
    package static func read(from client: RedisClient, demand: DurabilityDemand) async throws(QueueError) -> Self {
        var names = rules(for: demand).map(\.setting) + [MemoryBound.setting, ReplicaBuffer.setting]
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
            settings: try await settings(names, from: client), replicas: replicas, demand: demand)
    }

    /// What the server tells of some of its settings: nothing where it forbids to ask.
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

        func problem(_ value: String?) -> DurabilityProblem? {
            guard value != needed else { return nil }
            return DurabilityProblem(
                setting: "Redis's \(setting)", value: value, needed: needed, consequence: consequence)
        }
    }

    /// With a ledger and the bytes elsewhere, Redis may be lost altogether; with the bytes in Redis, what it loses is
    /// known by name, and lost all the same.
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
