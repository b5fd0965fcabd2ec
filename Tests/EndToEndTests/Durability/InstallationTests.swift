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
            for stack in [files.stack, other] { ids.append(try await stack.installation()) }
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

    private static func markFile(of files: FilesystemScene) -> URL {
        files.directory.appending(path: "capture-bundles")
    }

    private static func mark(of files: FilesystemScene) throws -> String {
        try String(contentsOf: markFile(of: files), encoding: .utf8)
    }

    @Test func `a stack is kept out of the bundle directory of another`() async throws {
        let scene = try await Scene.set()
        let settings = [
            "CAPTURE_BUNDLES_STORE": "filesystem", "CAPTURE_BUNDLES_DIRECTORY": scene.files.directory.path,
        ]
        let migration = try await scene.other.capturectl(["migrate", "--new-bundle-directory"], with: settings)
        #expect(migration.exitCode == 70, "\(migration.output)")
        for id in scene.ids { #expect(migration.output.contains(id), "\(migration.output)") }
        for program in [try scene.other.launchGateway(settings), try scene.other.worker(settings)] {
            #expect(try await program.exitCode() == 1)
            for id in scene.ids { #expect(program.output.contains(id), "\(program.output)") }
        }
        try await scene.expectUntouched()
        try await scene.settle()
    }

    @Test func `a directory with an empty mark is taken by nobody who does not say so`() async throws {
        let (files, other) = (try await FilesystemScene.set(), try await Stack.start())
        try Data().write(to: Self.markFile(of: files))
        let settings = [
            "CAPTURE_BUNDLES_STORE": "filesystem", "CAPTURE_BUNDLES_DIRECTORY": files.directory.path,
        ]
        for stack in [other, files.stack] {
            let migration = try await stack.capturectl(["migrate"], with: settings)
            #expect(migration.exitCode == 70 && migration.output.contains("is empty"), "\(migration.output)")
        }
        #expect(try Self.mark(of: files) == "")
        let migration = try await files.stack.capturectl(["migrate", "--new-bundle-directory"], with: settings)
        #expect(migration.exitCode == 0, "\(migration.output)")
        #expect(try Self.mark(of: files) == "1\n\(try await files.stack.installation())\n")
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
            let run = try await scene.stack.capturectl(command, with: settings)
            #expect(run.exitCode == 70 && run.output.contains(scene.ids[1]), "\(run.output)")
        }
        try await scene.stack.redis.cli("HSET", "{cq:0}:stats", "queued", "70")
        for options in [[], ["--fix"]] {
            let doctor = try await scene.stack.capturectl(["doctor"] + options, with: settings)
            #expect(doctor.exitCode == 1 && doctor.output.contains(scene.ids[1]), "\(doctor.output)")
        }
        #expect(try await scene.stack.redis.cli("HGET", "{cq:0}:stats", "queued") == "70", "nothing was repaired")
        try await scene.stack.redis.cli("HSET", "{cq:0}:stats", "queued", "1")
        try await scene.expectUntouched()
        try await scene.settle()
    }

    @Test func `a copied database gets an id of its own, but beside nobody's Redis and directory`() async throws {
        let files = try await FilesystemScene.set()
        let postgres = files.stack.postgres
        let original = try await files.stack.installation()
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
            let run = try await files.stack.capturectl(["migrate", "--new-installation"], with: settings)
            #expect(run.exitCode == 70 && run.output.contains(words), "\(run.output)")
            #expect(try await installation() == original)
        }
        let copied = FilesystemScene(stack: files.stack, home: try LeashedDirectory("bundles"))
        let settings = ownRedis.merging(["CAPTURE_BUNDLES_DIRECTORY": copied.directory.path]) { $1 }
        let run = try await files.stack.capturectl(["migrate", "--new-installation"], with: settings)
        #expect(run.exitCode == 0, "\(run.output)")
        let renewed = try await installation()
        #expect(renewed != original && run.output.contains("installation: \(renewed)"), "\(run.output)")
        #expect(try await redis.installation() == renewed)
        #expect(try Self.mark(of: copied) == "1\n\(renewed)\n")
        let notes = try await postgres.psql(
            "SELECT count(*) FROM audit WHERE action = 'installation.renew'", database: copy)
        #expect(notes.trimmingCharacters(in: .whitespacesAndNewlines) == "1")

        #expect(try await files.stack.capturectl(["migrate"], with: settings).exitCode == 0)
        let worker = try files.stack.worker(settings)
        try await worker.line(containing: "worker is ready")
        try await worker.expectStop()
        #expect(try Self.mark(of: files) == "1\n\(original)\n")
        #expect(try await files.stack.redis.installation() == original)
        let both = try await files.stack.capturectl(
            ["migrate", "--new-installation", "--down-to", "1"], with: settings)
        #expect(both.exitCode == 64, "\(both.output)")
    }
}
