import CaptureModel
import DeviceSimulator
import Foundation
import TestSupport

/// The servers, links and programs of a run, and everything that can be done to them.
final class Stage: Sendable {
    static let appID = "TEAM123456.com.example.capture"

    let redis: PrivateRedis
    /// How many partitions the queue has.
    let partitions: Int
    let postgres: PrivatePostgres
    /// The name of the database in ``postgres``.
    let database: String
    let directory: URL
    let authority: TestCertificateAuthority
    let watch: CounterWatch
    /// Where the programs keep bundles, when they keep them in files.
    let bundles: BundleFolder?
    let slots: [ProgramSlot]
    /// Where the gateways listen.
    let gateways: [String]
    private let links: [ChaosProgram: [LinkChoice.Server: Link]]

    private init(
        redis: PrivateRedis, partitions: Int, postgres: PrivatePostgres, database: String, directory: URL,
        authority: TestCertificateAuthority, watch: CounterWatch, bundles: BundleFolder?, slots: [ProgramSlot],
        gateways: [String], links: [ChaosProgram: [LinkChoice.Server: Link]]
    ) {
        self.redis = redis
        self.partitions = partitions
        self.postgres = postgres
        self.database = database
        self.directory = directory
        self.authority = authority
        self.watch = watch
        self.bundles = bundles
        self.slots = slots
        self.gateways = gateways
        self.links = links
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts servers of the run's own, brings them to this release, and starts the programs.
    static func start(_ options: ChaosOptions) async throws -> Stage {
        let redis = try await PrivateRedis.start()
        let postgres = try await PrivatePostgres.start()
        let conninfo = try await postgres.createDatabase()
        let database = conninfo.components(separatedBy: "dbname=").last ?? "postgres"
        let directory = try TemporaryDirectory.make("chaos")
        let authority = try TestCertificateAuthority(at: Date())
        try authority.write(directory: directory.path)
        let common = settings(options, directory)
        let migration = try await LeashedProcess.run(
            Programs.path("capturectl"), ["migrate"],
            environment: common.merging(PatientSettings.servers) { _, new in new }.merging(
                ["CAPTURE_REDIS_URL": redis.url, "CAPTURE_POSTGRES_URL": conninfo]
            ) { _, new in new }
        )
        guard migration.exitCode == 0 else { throw LeashedProcess.Failure(description: migration.output) }
        let watch = try await CounterWatch.install(in: database, of: postgres)
        let redisSocket = redis.directory.appendingPathComponent("redis.sock").path
        let postgresSocket = postgres.directory.appendingPathComponent(".s.PGSQL.\(postgres.port)").path
        var links: [ChaosProgram: [LinkChoice.Server: Link]] = [:]
        var slots: [ProgramSlot] = []
        var gateways: [String] = []
        for program in options.programs {
            let toRedis = try await Link.open(to: redisSocket)
            let toPostgres = try await Link.open(to: postgresSocket)
            links[program] = [.redis: toRedis, .postgres: toPostgres]
            var environment = common
            environment["CAPTURE_REDIS_URL"] = "redis://127.0.0.1:\(toRedis.port)"
            environment["CAPTURE_POSTGRES_URL"] =
                "host=127.0.0.1 port=\(toPostgres.port) user=capture dbname=\(database) sslmode=disable gssencmode=disable"
            if program.role == .gateway {
                // The same port after every restart, as behind a load balancer.
                let port = try FreePort.take()
                environment["CAPTURE_GATEWAY_PORT"] = "\(port)"
                gateways.append("http://127.0.0.1:\(port)")
            }
            slots.append(try ProgramSlot(program, arguments: [], environment: environment))
        }
        let bundles = options.bundles == .filesystem ? BundleFolder(path: bundlesPath(in: directory)) : nil
        return Stage(
            redis: redis, partitions: options.partitions, postgres: postgres, database: database,
            directory: directory, authority: authority, watch: watch, bundles: bundles, slots: slots,
            gateways: gateways, links: links
        )
    }

    /// What all programs have in common.
    private static func settings(_ options: ChaosOptions, _ directory: URL) -> [String: String] {
        [
            "CAPTURE_APP_IDS": appID,
            "CAPTURE_APP_ROOTS": directory.appendingPathComponent("root.pem").path,
            "CAPTURE_QUEUE_LEASE": "\(options.lease.milliseconds)ms",
            "CAPTURE_QUEUE_PARTITIONS": "\(options.partitions)",
            "CAPTURE_QUEUE_DURABILITY": options.durability.rawValue,
            "CAPTURE_BUNDLES_STORE": options.bundles.rawValue,
            "CAPTURE_BUNDLES_DIRECTORY": bundlesPath(in: directory),
            "CAPTURE_GATEWAY_CHALLENGE_LIMIT": "1000",
            "CAPTURE_LOG_FORMAT": "text",
        ].merging(options.settings) { _, new in new }
    }

    private static func bundlesPath(in directory: URL) -> String { directory.appendingPathComponent("bundles").path }

    // MARK: Faults

    /// Lets a fault happen, and returns when whatever it broke is whole again.
    func suffer(_ fault: Fault) async throws {
        switch fault {
        case .killed(let program, let pause): try await slot(program).kill(downFor: pause)
        case .frozen(let program, let time): try await slot(program).freeze(for: time)
        case .redisKilled(let pause): try await restartRedis(downFor: pause)
        case .redisFlushed: try await redis.cli("FLUSHALL")
        case .redisWithoutFunctions(let pause):
            try await redis.cli("FUNCTION", "FLUSH")
            try await restartRedis(downFor: pause)
        case .redisFrozen(let time):
            redis.signal(SIGSTOP)
            defer { redis.signal(SIGCONT) }
            try await letTimePass(time)
        case .postgresRestarted(let pause):
            try await postgres.stop()
            try await letTimePass(pause)
            try await postgres.restart()
        case .postgresKilled(let pause):
            try await postgres.kill()
            try await letTimePass(pause)
            try await postgres.restart()
        case .sessionsTerminated:
            try await postgres.psql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '\(database)'"
            )
        case .cut(let choice): chosen(choice).forEach { $0.cut() }
        case .stalled(let choice, let time): try await upset(choice, for: time) { $0.stall() }
        case .answersLost(let choice, let time):
            let links = chosen(choice)
            links.forEach { $0.stall([.toProgram]) }
            // Broken while the answers are still held up: they are lost.
            defer {
                links.forEach { $0.cut() }
                links.forEach { $0.restore() }
            }
            try await letTimePass(time)
        case .slowed(let choice, let delay, let time):
            try await upset(choice, for: time) { $0.slowDown(by: delay) }
        }
    }

    private func upset(_ choice: LinkChoice, for time: Duration, _ change: (Link) -> Void) async throws {
        let links = chosen(choice)
        links.forEach(change)
        defer { links.forEach { $0.restore() } }
        try await letTimePass(time)
    }

    private func restartRedis(downFor pause: Duration) async throws {
        try await redis.kill()
        try await letTimePass(pause)
        try await redis.restart()
    }

    private func slot(_ program: ChaosProgram) throws -> ProgramSlot {
        guard let slot = slots.first(where: { $0.name == program }) else {
            throw LeashedProcess.Failure(description: "there is no \(program)")
        }
        return slot
    }

    private func chosen(_ choice: LinkChoice) -> [Link] {
        choice.programs.compactMap { links[$0]?[choice.server] }
    }

    /// Has the bundle folder swept as the workers do.
    func sweepBundles() async throws {
        try await bundles?.sweep(
            redis: redis.url, postgres: postgres.conninfo(database: database), partitions: partitions)
    }

    /// Closes what is the run's own in this process.
    func close() async {
        for link in links.values.flatMap(\.values) { await link.close() }
    }
}
