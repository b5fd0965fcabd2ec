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
        usage: "capturectl migrate [<options>]",
        discussion: """
            Safe to run again and beside running workers. Settings come from --config, CAPTURE_… or the defaults.

            --down-to says what it drops and asks before it begins; without a terminal it needs --yes. A schema that a \
            newer release has migrated is kept, and only that release brings it down again.

            Each step of the schema is told on the error stream when it begins and when it is done. The audit notes a \
            way down, and by `capturectl migrate`, unless somebody is named, what else is made or taken over.

            PostgreSQL, Redis and the bundle directory carry the id of their installation: those of two are refused. \
            --new-installation is for a copied database, with a Redis and a directory of its own.

            Examples:
              capturectl migrate
              capturectl migrate --new-installation --actor "alice, ticket 4711"
              capturectl migrate --down-to 8 --dry-run
              capturectl migrate --down-to 8 --yes

            \(CommandEnd.help)
            """
    )

    @Option(help: "Configuration file; CAPTURE_CONFIG when not given.", completion: .file())
    var config: String?

    @Option(
        parsing: .unconditional,
        help: """
            Bring the schema down to this version instead, 0 to \(Migration.all.count). Drops what later versions added.
            """)
    var downTo: Int?

    @Flag(help: "With --down-to: say what it drops, and do nothing.")
    var dryRun = false

    @Flag(help: "Take bundles.directory for a new one although another was prepared before.")
    var newBundleDirectory = false

    @Flag(help: "Give a copied database an id of its own; refused while Redis or the directory belong to anybody.")
    var newInstallation = false

    @Flag(help: "With --down-to: do not ask.")
    var yes = false

    @Flag(help: "Print one JSON object instead of lines.")
    var json = false

    @OptionGroup var actor: ActorOption

    func validate() throws {
        let versions = 0...Migration.all.count
        guard downTo.map(versions.contains) ?? true else {
            throw ValidationError("--down-to takes \(versions.lowerBound) to \(versions.upperBound)")
        }
        // A dry run must not migrate upwards.
        guard !dryRun || downTo != nil else { throw ValidationError("--dry-run goes with --down-to") }
        guard !newInstallation || downTo == nil else {
            throw ValidationError("--new-installation does not go with --down-to")
        }
        guard !newBundleDirectory || downTo == nil else {
            throw ValidationError("--new-bundle-directory does not go with --down-to")
        }
        // The way up asks no question that `--yes` could answer.
        guard !yes || downTo != nil else { throw ValidationError("--yes goes with --down-to") }
    }

    /// The longest that a statement of a step may take.
    private static let stepMax: Duration = .seconds(86_400)

    func run() async throws {
        let settings = try await CommandSettings.read(config: config)
        do {
            let redis = RedisClient(
                configuration: try settings.commandRedisConfiguration(),
                eventLoopGroup: .singletonMultiThreadedEventLoopGroup, logger: CommandLogger.silent
            )
            var limits = settings.postgresConfiguration(name: "capturectl")
            // Indexing a large table takes long. The wait for locks stays as short as ever.
            limits.statementTimeout = Self.stepMax
            let postgres = PostgresClient(configuration: limits, logger: CommandLogger.silent)
            let up = wayUp(settings, redis, postgres)
            let down = try wayDown(settings, postgres)
            let answer = try await withRunning([redis, postgres]) {
                guard let down else { return try await up.run() }
                return try await down.run()
            }
            try printAnswer(json ? JSONText.write(answer) : answer.text)
            if answer.isDeclined { throw CommandEnd.problems }
        } catch {
            throw CommandEnd.reported(error, settings)
        }
    }

    private func wayUp(_ settings: Settings, _ redis: RedisClient, _ postgres: PostgresClient) -> WayUp {
        // A systemd unit or a job runs it at each start, so there is no person to name.
        let name = actor.given ?? "capturectl migrate"
        let bundles = settings.filesystemBundles().map { files in
            BundlePreparation(
                files: files, store: PostgresCaptureStore(client: postgres),
                mayBeNew: newBundleDirectory || newInstallation, actor: name)
        }
        let tie = InstallationTie(
            record: PostgresInstallation(client: postgres), redis: redis, keyspace: settings.keyspace,
            bundles: bundles, actor: name)
        return WayUp(migrator: Migrator(client: postgres), tie: tie, isCopy: newInstallation)
    }

    private func wayDown(_ settings: Settings, _ postgres: PostgresClient) throws -> WayDown? {
        guard let downTo else { return nil }
        return WayDown(
            postgres: postgres, servers: try ServerNames(settings), target: downTo, actor: actor.name,
            isDryRun: dryRun, isAsked: !yes, json: json)
    }
}
