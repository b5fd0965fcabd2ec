import CaptureModel
import PostgresCaptureStore
import RedisCaptureQueue

/// The way up: schema, rights, installation, functions and bundle directory, in this order.
struct WayUp: Sendable {
    let migrator: Migrator
    let tie: InstallationTie
    /// Whether the database is a copy, which gets an id of its own.
    let isCopy: Bool
    /// The role of PostgreSQL that gets what the programs need; `nil` if none does.
    let role: String?

    /// Does what is missing; harmless if all was done before.
    func run() async throws -> MigrateAnswer {
        let from = try await migrator.schemaVersion()
        // Before the schema, which may be another installation's; and again after it, when the record has its id.
        if isCopy { try await tie.requireUnused() } else { try await tie.refuseOthers() }
        var steps = try await MigrationSteps(migrator).up().map { "schema: \($0)" }
        let version = try await migrator.schemaVersion()
        if version > migrator.latestVersion {
            steps.append(
                "schema: version \(version) is there, newer than this release's \(migrator.latestVersion); kept")
        } else if steps.isEmpty {
            steps.append("schema: version \(version), up to date")
        }
        if let role { steps.append("rights: \(Self.describe(try await migrator.grant(to: role), role))") }
        if isCopy { try await tie.renew() }
        // Before anything else is done to Redis, as it may be another installation's.
        let (installation, adopted) = try await tie.tieQueue()
        steps.append("installation: \(installation)")
        if adopted > 0 {
            let captures = TerminalText.count(adopted, "capture")
            steps.append("queue: was tied to no installation and holds \(captures), judged by this record from now on")
        }
        steps.append("functions: \(Self.describe(try await FunctionLibrary.current.install(on: tie.redis)))")
        if let bundles = tie.bundles {
            try await bundles.run(for: installation)
            steps.append("bundle directory: prepared")
        }
        return MigrateAnswer(from: from, to: version, steps: steps, installation: installation)
    }

    private static func describe(_ granted: Migrator.Granted, _ role: String) -> String {
        if granted.hasOwnerRights {
            return "\(role) may do all that the tables' owner may: it is that owner, a member of it or a superuser"
        }
        let count = granted.rights.count
        return count == 0 ? "\(role) has what the programs need" : "\(role) was granted the \(count) that it lacked"
    }

    private static func describe(_ installation: FunctionLibrary.Installation) -> String {
        switch installation {
        case .loaded(let old): old.map { "loaded, replacing version \($0)" } ?? "loaded"
        case .present: "up to date"
        case .newer(let version): "version \(version) is there, newer than this release's; kept"
        case .kept(let version):
            "version \(version) is there and stays for now: Redis is full; the programs that empty it do with it"
        }
    }
}
