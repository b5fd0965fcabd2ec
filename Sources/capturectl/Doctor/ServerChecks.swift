import CaptureModel
import CaptureQueue
import CaptureSettings
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// The checks of the two servers, besides the queue's own keys and whether they take writes.
struct ServerChecks: Sendable {
    let session: OperatorSession

    /// Whether the record is laid out as this release wants it.
    func schema() async throws(StoreError) -> DoctorCheck {
        let migrator = Migrator(client: session.postgres)
        if let objection = try await migrator.objectionToSchema() {
            return .problem(
                DoctorReport.schema, objection.message,
                "gateways and workers of this release do not start, and the record is not looked at",
                repair: "the programs of the version that made it, or another database")
        }
        let version = try await migrator.schemaVersion()
        guard version >= migrator.latestVersion else {
            return .problem(
                DoctorReport.schema, "version \(version), needed is \(migrator.latestVersion)",
                "gateways and workers of this release do not start, and the record is not looked at",
                repair: "capturectl migrate; --fix repairs nothing before")
        }
        guard version == migrator.latestVersion else {
            return .note(
                DoctorReport.schema, "version \(version), this release brings \(migrator.latestVersion)",
                "a newer release has migrated it; this one still works")
        }
        return .ok(DoctorReport.schema, "version \(version)")
    }

    /// Whether the record has all parts of its version's schema; an operator's additions are ignored.
    func parts(of schema: DoctorCheck) async throws(StoreError) -> DoctorCheck {
        guard schema.state == .ok else {
            return .notLookedAt(DoctorReport.parts, "this needs the schema of this release")
        }
        let missing = try await Migrator(client: session.postgres).missingParts()
        guard !missing.isEmpty else { return .ok(DoctorReport.parts, "all are there") }
        return .problem(
            DoctorReport.parts, "\(missing.count) missing or disabled",
            "programs need them, and nothing else keeps results, counters and the audit: a restore that broke off leaves it so",
            repair: "restore again, into an empty database; what somebody has dropped is in Config/Migrations",
            examples: missing)
    }

    /// Whether any device was revoked or replaced at a moment that PostgreSQL's clock has not reached.
    func revocations(_ schema: DoctorCheck) async throws(StoreError) -> DoctorCheck {
        guard schema.state != .problem else {
            return .notLookedAt(DoctorReport.revocations, "this needs the schema of this release")
        }
        // One more than is listed shows whether there are more.
        let ahead = try await session.store.devicesEndingAhead(limit: DoctorCheck.examplesMax + 1)
        guard !ahead.isEmpty else { return .ok(DoctorReport.revocations, "none lies ahead of PostgreSQL's clock") }
        let more = ahead.count > DoctorCheck.examplesMax ? "more than " : ""
        let devices = TerminalText.count(min(ahead.count, DoctorCheck.examplesMax), "device")
        return .problem(
            DoctorReport.revocations, "\(more)\(devices) revoked or replaced ahead of PostgreSQL's clock",
            "that clock was set back; until it reaches those moments, what such a device sent before them is refused, too",
            repair: "once the clock is right, capturectl devices revoke for each of them: the earlier moment holds",
            examples: ahead.map(\.description))
    }

    /// Whether the functions of this release are there.
    func library() async throws(QueueError) -> DoctorCheck {
        let own = FunctionLibrary.current.version
        switch try await FunctionLibrary.current.presence(on: session.redis) {
        case .current: return .ok(DoctorReport.library, "version \(own)")
        case .newer(let version):
            return .note(
                DoctorReport.library, "version \(version), this release brings \(own)",
                "a newer release has loaded it; it keeps the functions that this one calls")
        case .older(let version):
            return .problem(
                DoctorReport.library, "another version \(version), this release brings \(own)",
                "programs of this release miss functions until they load their own",
                repair: "--fix loads it, or capturectl migrate")
        case .absent:
            return .problem(
                DoctorReport.library, "not loaded", "clients in other languages cannot enqueue; our programs load it",
                repair: "--fix loads it, or capturectl migrate")
        }
    }

    /// Whether the queue is laid out in as many partitions as are configured.
    func partitions() async throws(QueueError) -> DoctorCheck {
        let keyspace = session.queue.keyspace
        let kept: Int?
        do throws(QueueError) {
            kept = try await QueuePartitions.field.read(keyspace, on: session.redis)
        } catch {
            guard error.isOfDamagedKey else { throw error }
            return .damagedLimits(DoctorReport.partitions, keyspace[0].limits)
        }
        guard let kept else { return try await unkeptPartitions() }
        guard kept != keyspace.partitions else { return .ok(DoctorReport.partitions, "\(keyspace.partitions)") }
        return .problem(
            DoctorReport.partitions, "queue.partitions is \(keyspace.partitions), the queue has \(kept)",
            "captures are looked for where they are not, and nothing below holds",
            repair: "set queue.partitions to \(kept); --fix repairs nothing before; "
                + "RUNBOOKS.md, \"Partitions\"")
    }

    /// Whether the queue is laid out by the configured number, where it has kept none.
    private func unkeptPartitions() async throws(QueueError) -> DoctorCheck {
        let keyspace = session.queue.keyspace
        guard try await QueuePartitions.objectionToLayout(keyspace, on: session.redis) != nil else {
            return .ok(DoctorReport.partitions, "no program has started yet")
        }
        return .problem(
            DoctorReport.partitions, "queue.partitions is \(keyspace.partitions), the queue is laid out otherwise",
            "captures are looked for where they are not, nothing below holds, and no gateway or worker starts",
            repair: "set queue.partitions to the number that it had; --fix repairs nothing before; "
                + "RUNBOOKS.md, \"Partitions\"")
    }

    /// The settings of both servers, compared with the configured level of durability.
    func durability() async throws -> DoctorCheck {
        let demand = session.settings.durabilityDemand
        let problems =
            try await DurabilityReport.read(from: session.redis, demand: demand).problems
            + RecordDurability.read(from: session.postgres).problems
            + session.settings.transportProblems()
            + session.settings.namedCertificates().ending(at: Timestamp.systemTime())
        guard !problems.isEmpty else {
            return .ok(DoctorReport.durability, "keeps what was accepted: \(demand.level.rawValue)")
        }
        let found = problems.map(\.setting).joined(separator: ", ")
        let meaning = problems.map(\.description).joined(separator: "; ")
        // At start-up the level only warns of it; here it is a note.
        guard DurabilityRefusal(problems, level: demand.level) != nil else {
            return .note(DoctorReport.durability, found, meaning)
        }
        return .problem(
            DoctorReport.durability, found, meaning,
            repair: "Config/redis.conf and Config/postgresql.conf, or CONFIG SET and ALTER SYSTEM")
    }

    /// Compares this machine's clock with the servers'.
    ///
    /// Leases and delays are by Redis's, results by PostgreSQL's. What gateways and workers note by their own machines'
    /// clocks they watch themselves.
    func clocks() async throws -> DoctorCheck {
        let now = Timestamp.systemTime
        let redis = try await ClockOffset.measure(now: now) { try await session.queue.serverTime() }
        let postgres = try await ClockOffset.measure(now: now) { try await session.store.serverTime() }
        let text = "Redis \(Self.signed(redis.ahead)), PostgreSQL \(Self.signed(postgres.ahead)), seen from here"
        let between = ClockOffset(ahead: redis.ahead - postgres.ahead)
        guard redis.isFar || postgres.isFar || between.isFar else { return .ok(DoctorReport.clocks, text) }
        return .problem(
            DoctorReport.clocks, text,
            "times in statuses and results contradict each other; certificates are judged by them",
            repair: "let all machines follow one time service (chrony, systemd-timesyncd)")
    }

    private static func signed(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        return "\(milliseconds < 0 ? "−" : "+")\(milliseconds.magnitude) ms"
    }
}
