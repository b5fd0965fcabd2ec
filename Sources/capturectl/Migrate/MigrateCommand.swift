import ArgumentParser
import CaptureQueue
import CaptureSettings
import FilesystemBundleStore
import FoundationEssentials
import Logging
import NIOPosix
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient

/// `capturectl migrate`: brings the schema in PostgreSQL and the functions in Redis to this release.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings PostgreSQL's schema, Redis's functions and the bundle directory to this release.",
        discussion: """
            Safe to run again and beside running workers. Settings come from --config, CAPTURE_… or the defaults.

            --down-to says what it drops and asks before it begins; without a terminal it needs --yes.

            PostgreSQL, Redis and the bundle directory carry the id of their installation: those of two are refused. \
            --new-installation is for a copied database, with a Redis and a directory of its own.

            Examples:
              capturectl migrate
              capturectl migrate --new-installation
              capturectl migrate --down-to 8 --dry-run
              capturectl migrate --down-to 8 --yes

            \(CommandEnd.help)
            """
    )

    @Option(help: "Configuration file; CAPTURE_CONFIG when not given.")
    var config: String?

    @Option(help: "Bring the schema down to this version instead. Drops what later versions added.")
    var downTo: Int?

    @Flag(help: "With --down-to: say what it drops, and do nothing.")
    var dryRun = false

    @Flag(help: "Take bundles.directory for a new one although another was prepared before.")
    var newBundleDirectory = false

    @Flag(help: "Give a copied database an id of its own; refused while Redis or the directory belong to anybody.")
    var newInstallation = false

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Print one JSON object instead of lines.")
    var json = false

    func validate() throws {
        let versions = 0...Migration.all.count
        guard downTo.map(versions.contains) ?? true else {
            throw ValidationError("--down-to takes \(versions.lowerBound) to \(versions.upperBound)")
        }
        // Whoever only wants to look must not find it migrated.
        guard !dryRun || downTo != nil else { throw ValidationError("--dry-run goes with --down-to") }
        guard !newInstallation || downTo == nil else {
            throw ValidationError("--new-installation does not go with --down-to")
        }
    }

    /// How long a statement of a step may take.
    private static let stepMax: Duration = .seconds(86_400)

    /// What was done.
    private struct Answer: Encodable, Sendable {
        var steps: [String] = []
        var isDryRun = false
        var isDeclined = false

        enum CodingKeys: String, CodingKey {
            case steps
            case isDryRun = "dry_run"
            case isDeclined = "declined"
        }
    }

    func run() async throws {
        let settings = try await CommandSettings.read(config: config)
        let (json, down, dryRun, yes, isCopy) = (json, downTo, dryRun, yes, newInstallation)
        let mayBeNew = newBundleDirectory || newInstallation
        do {
            let servers = try ServerNames(settings)
            let redis = RedisClient(
                configuration: try settings.redisConfiguration(name: "capturectl"),
                eventLoopGroup: .singletonMultiThreadedEventLoopGroup, logger: CommandLogger.silent
            )
            var limits = settings.postgresConfiguration(name: "capturectl")
            // An index of a large table takes its time. What a step has to lock is waited for no longer than ever.
            limits.statementTimeout = Self.stepMax
            let postgres = PostgresClient(configuration: limits, logger: CommandLogger.silent)
            let bundles = try settings.filesystemBundles().map { files in
                BundlePreparation(
                    files: files, store: PostgresCaptureStore(client: postgres), mayBeNew: mayBeNew)
            }
            let tie = InstallationTie(
                record: PostgresInstallation(client: postgres), redis: redis, keyspace: try settings.keyspace(),
                bundles: bundles)
            let answer = try await withRunning([redis, postgres]) {
                let migrator = Migrator(client: postgres)
                guard let down else { return Answer(steps: try await Self.up(migrator, tie, isCopy: isCopy)) }
                let present = try await migrator.schemaVersion()
                guard down < present else { return Answer(isDryRun: dryRun) }
                let record = try await DroppedRecord(in: postgres, version: present)
                let preview = servers.preview(Self.preview(from: present, to: down, record))
                if dryRun {
                    if !json { try printAnswer(preview) }
                    return Answer(isDryRun: true)
                }
                let question = "Bring the schema from version \(present) down to \(down), and drop what came after?"
                guard try Confirmation.isGiven(question, about: preview, isNeeded: !yes, json: json) else {
                    return Answer(isDeclined: true)
                }
                return Answer(steps: try await migrator.down(to: down).map(\.description))
            }
            try printAnswer(json ? JSONText.write(answer) : Self.text(answer))
            if answer.isDeclined { throw CommandEnd.problems }
        } catch {
            throw CommandEnd.of(error)
        }
    }

    private static func up(
        _ migrator: Migrator, _ tie: InstallationTie, isCopy: Bool
    ) async throws -> [String] {
        var steps = try await migrator.up().map { "schema: \($0)" }
        if isCopy { try await tie.renew() }
        // Before anything is done to Redis: it may be another's.
        let (installation, adopted) = try await tie.tieQueue()
        steps.append("installation: \(installation)")
        if adopted > 0 {
            let captures = Wording.count(adopted, "capture")
            steps.append("queue: was tied to no installation and holds \(captures), judged by this record from now on")
        }
        steps.append("functions: \(describe(try await FunctionLibrary.current.install(on: tie.redis)))")
        if let bundles = tie.bundles {
            try await bundles.run(for: installation)
            steps.append("bundle directory: prepared")
        }
        return steps
    }

    private static func preview(from present: Int, to target: Int, _ record: DroppedRecord) -> String {
        let dropped = Migration.all.filter { (target + 1...present).contains($0.version) }
        return """
            the schema goes from version \(present) down to \(target); \(record.text)
            what later versions added is dropped with its data: \(dropped.map(\.name).joined(separator: ", "))
            """
    }

    private static func text(_ answer: Answer) -> String {
        if answer.isDeclined { return "declined; nothing was done" }
        return answer.steps.isEmpty ? "nothing was done" : answer.steps.joined(separator: "\n")
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
