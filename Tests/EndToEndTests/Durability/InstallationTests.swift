import CaptureModel
import CaptureQueue
import Foundation
import GatewayClient
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("Redis, PostgreSQL and the bundle directory belong to one installation", .timeLimit(.minutes(5)))
struct InstallationTests {
    /// Two stacks, of which the first has taken a capture.
    private struct Scene {
        let files: FilesystemScene
        let gateway: LeashedProcess
        let phone: Phone
        let capture: CaptureID
        let other: Stack
        /// The ids of both.
        let ids: [String]

        var stack: Stack { files.stack }

        static func set() async throws -> Scene {
            let files = try await FilesystemScene.set()
            let gateway = try await files.stack.gateway()
            let phone = try await Phone.register(with: gateway.client, authority: files.stack.authority)
            let capture = try await phone.upload(try phone.shoot(seed: 1))
            let other = try await Stack.start()
            var ids: [String] = []
            for stack in [files.stack, other] { ids.append(try await InstallationTests.installation(of: stack)) }
            #expect(Set(ids).count == 2)
            return Scene(
                files: files, gateway: gateway.process, phone: phone, capture: capture, other: other, ids: ids)
        }

        func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            #expect(try files.files(of: capture).count == 2, sourceLocation: sourceLocation)
            #expect(try InstallationTests.mark(of: files) == "1\n\(ids[0])\n", sourceLocation: sourceLocation)
            let state = try await stack.withBackstage { [capture] queue, _, _ in
                try await queue.status(of: [capture])[0]?.state
            }
            #expect(state == .queued, sourceLocation: sourceLocation)
        }

        /// The stack's own worker settles what was left alone.
        func settle(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let worker = try stack.worker()
            #expect(try await phone.settled(capture).state == .verified, sourceLocation: sourceLocation)
            try await eventually { try files.files(of: capture).isEmpty }
            try await worker.expectStop(sourceLocation: sourceLocation)
        }
    }

    private static func installation(of stack: Stack) async throws -> String {
        try await stack.psql("SELECT id FROM installation").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func kept(in redis: PrivateRedis) async throws -> String {
        try await redis.cli("HGET", "{cq:0}:limits", "installation")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func markFile(of files: FilesystemScene) -> URL {
        files.directory.appending(path: "capture-bundles")
    }

    private static func mark(of files: FilesystemScene) throws -> String {
        try String(contentsOf: markFile(of: files), encoding: .utf8)
    }

    private func capturectl(
        _ arguments: [String], of stack: Stack, _ settings: [String: String]
    ) async throws -> (exitCode: Int32, output: String) {
        try await LeashedProcess.run(
            Programs.path("capturectl"), arguments, environment: stack.environment.merging(settings) { $1 })
    }

    @Test func `a stack is kept out of the bundle directory of another`() async throws {
        let scene = try await Scene.set()
        let settings = [
            "CAPTURE_BUNDLES_STORE": "filesystem", "CAPTURE_BUNDLES_DIRECTORY": scene.files.directory.path,
        ]
        let migration = try await capturectl(["migrate", "--new-bundle-directory"], of: scene.other, settings)
        #expect(migration.exitCode == 70, "\(migration.output)")
        for id in scene.ids { #expect(migration.output.contains(id), "\(migration.output)") }
        for program in [try scene.other.launchGateway(settings), try scene.other.worker(settings)] {
            #expect(try await program.exitCode() == 1)
            for id in scene.ids { #expect(program.output.contains(id), "\(program.output)") }
        }
        try await scene.expectUntouched()
        try await scene.settle()
    }

    @Test func `stats tell who paused the queue, whosever the bundle directory is`() async throws {
        let files = try await FilesystemScene.set()
        let paused = try await files.stack.capturectl("pause", "--actor", "alice")
        try #require(paused.exitCode == 0, "\(paused.output)")
        let other = UUID().uuidString.lowercased()
        try Data("1\n\(other)\n".utf8).write(to: Self.markFile(of: files))
        // Who it was is told where the audit answers at once.
        try await eventually {
            let stats = try await CommandLineRun(["stats"], environment: files.stack.environment)
            #expect(stats.exitCode == 0 && stats.errors.isEmpty, "\(stats.errors)")
            return stats.output.contains("by alice")
        }
        let migrate = try await CommandLineRun(["migrate"], environment: files.stack.environment)
        #expect(migrate.exitCode == 70 && migrate.errors.hasPrefix("capturectl: bundle directory: "))
        #expect(migrate.errors.contains(other) && migrate.errors.count { $0 == "\n" } == 1, "\(migrate.errors)")
    }

    @Test func `what has the Redis of one and the PostgreSQL of another ends before it does anything`() async throws {
        let scene = try await Scene.set()
        let settings = ["CAPTURE_POSTGRES_URL": scene.other.database]
        for program in [try scene.stack.launchGateway(settings), try scene.stack.worker(settings)] {
            #expect(try await program.exitCode() == 1)
            let words = "redis.url is the queue of the installation \(scene.ids[0])"
            #expect(program.output.contains(words), "\(program.output)")
        }
        // Where no worker has been yet, Redis says so.
        let consumers = try await scene.stack.redis.cliReply("XINFO", "CONSUMERS", "{cq:0}:ready", "workers")
        #expect(!consumers.contains("worker-"), "who is refused does not join: \(consumers)")
        for command in [["dead", "redrive", "--all", "--yes"], ["pause"], ["migrate"]] {
            let run = try await capturectl(command, of: scene.stack, settings)
            #expect(run.exitCode == 70 && run.output.contains(scene.ids[1]), "\(run.output)")
        }
        try await scene.stack.redis.cli("HSET", "{cq:0}:stats", "queued", "70")
        for options in [[], ["--fix"]] {
            let doctor = try await capturectl(["doctor"] + options, of: scene.stack, settings)
            #expect(doctor.exitCode == 1 && doctor.output.contains(scene.ids[1]), "\(doctor.output)")
        }
        #expect(try await scene.stack.redis.cli("HGET", "{cq:0}:stats", "queued") == "70", "nothing was repaired")
        try await scene.stack.redis.cli("HSET", "{cq:0}:stats", "queued", "1")
        try await scene.expectUntouched()
        try await scene.settle()
    }

    @Test func `a directory of an older release is used as it is, and adopted by the next migration`() async throws {
        let scene = try await Scene.set()
        let mark = Self.markFile(of: scene.files)
        try Data("1\n".utf8).write(to: mark)
        let worker = try scene.stack.worker()
        try await worker.line(containing: "does not say whose it is")
        try await worker.line(containing: "worker is ready")
        #expect(try await scene.phone.settled(scene.capture).state == .verified)
        let doctor = try await scene.stack.capturectl("doctor")
        #expect(doctor.exitCode == 0 && doctor.output.contains("does not say whose it is"), "\(doctor.output)")

        let settings = [
            "CAPTURE_BUNDLES_STORE": "filesystem", "CAPTURE_BUNDLES_DIRECTORY": scene.files.directory.path,
        ]
        let stranger = try await capturectl(["migrate"], of: scene.other, settings)
        #expect(stranger.exitCode == 70, "who has never prepared one does not take it: \(stranger.output)")
        #expect(try Self.mark(of: scene.files) == "1\n")
        #expect(try await scene.stack.capturectl("migrate").exitCode == 0)
        #expect(try Self.mark(of: scene.files) == "1\n\(scene.ids[0])\n")
        let next = try await scene.phone.upload(try scene.phone.shoot(seed: 2))
        #expect(try await scene.phone.settled(next).state == .verified, "the worker has gone on")
        #expect(try await scene.stack.capturectlJSON("doctor").exitCode == 0)
        try await worker.expectStop()
    }

    @Test func `a Redis that was flushed is the same installation's again, and no other's`() async throws {
        let stack = try await Stack.start()
        let other = try await Stack.start()
        let id = try await Self.installation(of: stack)
        #expect(try await Self.kept(in: stack.redis) == id, "from the migration on")
        let worker = try stack.worker()
        try await worker.line(containing: "worker is ready")
        try await stack.redis.cli("FLUSHALL")
        try await eventually { try await Self.kept(in: stack.redis) == id }
        let stranger = try stack.worker(["CAPTURE_POSTGRES_URL": other.database])
        #expect(try await stranger.exitCode() == 1)
        try await worker.expectStop()

        try await stack.redis.cli("FLUSHALL")
        let restarted = try stack.worker()
        try await restarted.line(containing: "worker is ready")
        #expect(try await Self.kept(in: stack.redis) == id)
        try await restarted.expectStop()
    }

    @Test func `a copied database gets an id of its own, but beside nobody's Redis and directory`() async throws {
        let files = try await FilesystemScene.set()
        let postgres = files.stack.postgres
        let original = try await Self.installation(of: files.stack)
        let copy = "t" + UUID().uuidString.lowercased().filter { $0 != "-" }
        // The sessions of the migration end a moment after it.
        try await eventually {
            (try? await postgres.psql("CREATE DATABASE \(copy) TEMPLATE \(files.stack.databaseName)")) != nil
        }
        func installation() async throws -> String {
            try await postgres.psql("SELECT id FROM installation", database: copy)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let database = ["CAPTURE_POSTGRES_URL": postgres.conninfo(database: copy)]
        let redis = try await PrivateRedis.start()
        let ownRedis = database.merging(["CAPTURE_REDIS_URL": redis.url]) { $1 }
        for (settings, words) in [(database, "an empty Redis of its own"), (ownRedis, "a directory of its own")] {
            let run = try await capturectl(["migrate", "--new-installation"], of: files.stack, settings)
            #expect(run.exitCode == 70 && run.output.contains(words), "\(run.output)")
            #expect(try await installation() == original)
        }
        let copied = FilesystemScene(stack: files.stack, home: try LeashedDirectory("bundles"))
        let settings = ownRedis.merging(["CAPTURE_BUNDLES_DIRECTORY": copied.directory.path]) { $1 }
        let run = try await capturectl(["migrate", "--new-installation"], of: files.stack, settings)
        #expect(run.exitCode == 0, "\(run.output)")
        let renewed = try await installation()
        #expect(renewed != original && run.output.contains("installation: \(renewed)"), "\(run.output)")
        #expect(try await Self.kept(in: redis) == renewed)
        #expect(try Self.mark(of: copied) == "1\n\(renewed)\n")
        let notes = try await postgres.psql(
            "SELECT count(*) FROM audit WHERE action = 'installation.renew'", database: copy)
        #expect(notes.trimmingCharacters(in: .whitespacesAndNewlines) == "1")

        #expect(try await capturectl(["migrate"], of: files.stack, settings).exitCode == 0)
        let worker = try files.stack.worker(settings)
        try await worker.line(containing: "worker is ready")
        try await worker.expectStop()
        #expect(try Self.mark(of: files) == "1\n\(original)\n")
        #expect(try await Self.kept(in: files.stack.redis) == original)
        let both = try await capturectl(["migrate", "--new-installation", "--down-to", "1"], of: files.stack, settings)
        #expect(both.exitCode == 64, "\(both.output)")
    }

    @Test func `programs that are refused note nothing in another's queue`() async throws {
        let (stack, other) = (try await Stack.start(), try await Stack.start())
        let settings = ["CAPTURE_POSTGRES_URL": other.database]
        for program in [try stack.launchGateway(settings), try stack.worker(settings)] {
            #expect(try await program.exitCode() == 1)
        }
        let fields = try await stack.redis.cli("HKEYS", "{cq:0}:limits")
        #expect(fields.trimmingCharacters(in: .whitespacesAndNewlines) == "installation")
    }

    @Test func `nothing is done to a Redis that is tied to nobody, until it is migrated`() async throws {
        let stack = try await Stack.start()
        let empty = try await PrivateRedis.start()
        let settings = ["CAPTURE_REDIS_URL": empty.url]
        for command in [["pause"], ["resume"], ["dead", "redrive", "--all", "--yes"]] {
            let run = try await capturectl(command, of: stack, settings)
            #expect(run.exitCode == 69 && run.output.contains("tied to no installation"), "\(run.output)")
        }
        #expect(try await empty.cli("FUNCTION", "LIST").isEmpty)
        #expect(try await empty.cli("KEYS", "*").isEmpty)
        #expect(try await capturectl(["migrate"], of: stack, settings).exitCode == 0)
        let pause = try await capturectl(["pause"], of: stack, settings)
        #expect(pause.exitCode == 0 && pause.output.contains("Redis at "), "\(pause.output)")
    }

    @Test func `programs end when Redis comes to be another's, and not for what else it refuses`() async throws {
        let stack = try await Stack.start()
        let programs = [try await stack.gateway().process, try stack.worker()]
        try await programs[1].line(containing: "worker is ready")
        let alarm = "Redis has come to belong to another installation"
        try await stack.redis.cli("HSET", "{cq:0}:limits", "installation", "mine")
        for program in programs {
            try await program.line(containing: "Redis cannot be asked whose it is")
            #expect(!program.output.contains(alarm), "\(program.output)")
        }
        try await stack.redis.cli("HSET", "{cq:0}:limits", "installation", UUID().uuidString.lowercased())
        for program in programs {
            #expect(try await program.exitCode() == 1)
            #expect(program.output.contains(alarm), "\(program.output)")
            #expect(program.output.split(separator: "\n").count { $0.contains("cannot be asked whose") } == 1)
        }
    }

    @Test func `a queue from before the id is no copy's, and whoever ties it is told what it holds`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        _ = try await phone.upload(try phone.shoot(seed: 1))
        try await gateway.kill()
        let id = try await Self.installation(of: stack)
        try await stack.redis.cli("HDEL", "{cq:0}:limits", "installation")
        for field in ["partitions", "nothing"] {
            let copy = try await stack.capturectl("migrate", "--new-installation")
            #expect(copy.exitCode == 70 && copy.output.contains("an empty Redis of its own"), "\(copy.output)")
            #expect(try await Self.installation(of: stack) == id)
            #expect(try await Self.kept(in: stack.redis).isEmpty)
            // The counters tell it as well.
            try await stack.redis.cli("HDEL", "{cq:0}:limits", field)
        }
        let tied = try await stack.capturectl("migrate")
        #expect(tied.exitCode == 0 && tied.output.contains("holds 1 capture,"), "\(tied.output)")
        #expect(try await Self.kept(in: stack.redis) == id)
        let again = try await stack.capturectl("migrate")
        #expect(again.exitCode == 0 && !again.output.contains("holds"), "\(again.output)")
    }

    @Test func `while the record does not answer nothing is done to the queue, and who only looks goes on at once`()
        async throws
    {
        let postgres = try await PrivatePostgres.start()
        let stack = try await Stack.start(
            settings: ["CAPTURE_QUEUE_PARTITIONS": "4", "CAPTURE_POSTGRES_CONNECT_TIMEOUT": "60s"], postgres: postgres)
        // A server that takes connections and says nothing.
        try await postgres.signalAll(SIGSTOP)
        let start = ContinuousClock.now
        let list = try await stack.capturectl("dead", "list")
        #expect(list.exitCode == 0, "\(list.output)")
        #expect(start.duration(to: .now) < .seconds(60), "it waited for PostgreSQL")
        try await postgres.kill()
        // Begun before: the audit has it, so that nothing else would ask PostgreSQL.
        try await stack.redis.cli("SET", "{cq:2}:paused", "1")
        let pause = try await stack.capturectl("pause")
        #expect(pause.exitCode == 69 && pause.output.contains("does not say whose it is"), "\(pause.output)")
        #expect(try await stack.redis.cli("EXISTS", "{cq:0}:paused").hasPrefix("0"))
        try await postgres.restart()
        #expect(try await stack.capturectl("pause").exitCode == 0)
        #expect(try await stack.redis.cli("EXISTS", "{cq:0}:paused").hasPrefix("1"))
    }
}
