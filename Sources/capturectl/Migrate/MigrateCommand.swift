import ArgumentParser
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
        discussion:
            "Safe to run again and beside running workers. Settings come from --config, CAPTURE_… or the defaults."
    )

    @Option(help: "Configuration file; CAPTURE_CONFIG when not given.")
    var config: String?

    @Option(help: "Bring the schema down to this version instead. Drops what later versions added.")
    var downTo: Int?

    @Flag(help: "Print one JSON object instead of lines.")
    var json = false

    func run() async throws {
        let settings = try await CommandSettings.read(config: config)
        let redis = RedisClient(
            configuration: try settings.redisConfiguration(name: "capturectl"),
            eventLoopGroup: .singletonMultiThreadedEventLoopGroup, logger: CommandLogger.quiet
        )
        let postgres = PostgresClient(
            configuration: settings.postgresConfiguration(name: "capturectl"), logger: CommandLogger.quiet
        )
        let files = try settings.filesystemBundles()
        let down = downTo
        let steps = try await withRunning([redis, postgres]) {
            let migrator = Migrator(client: postgres)
            if let down { return try await migrator.down(to: down).map(\.description) }
            let schema = try await migrator.up().map { "schema: \($0)" }
            let functions = "functions: \(Self.describe(try await FunctionLibrary.current.install(on: redis)))"
            guard let files else { return schema + [functions] }
            try await files.prepare()
            return schema + [functions, "bundle directory: prepared"]
        }
        if json {
            print(try JSONText.write(["steps": steps]))
        } else {
            for step in steps { print(step) }
        }
    }

    private static func describe(_ installation: FunctionLibrary.Installation) -> String {
        switch installation {
        case .loaded(let old): old.map { "loaded, replacing version \($0)" } ?? "loaded"
        case .present: "up to date"
        case .newer(let version): "version \(version) is there, newer than this release's; kept"
        }
    }
}
