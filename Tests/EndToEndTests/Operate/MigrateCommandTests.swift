import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("capturectl migrate", .timeLimit(.minutes(5)))
struct MigrateCommandTests {
    private func version(_ stack: Stack) async throws -> Int? {
        let text = try await stack.psql("SELECT max(version) FROM schema_migrations")
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test func `going down drops nothing without a yes`() async throws {
        let stack = try await Stack.start()
        let latest = Migration.all.count
        let target = "\(latest - 1)"
        let refused = try await stack.capturectl("migrate", "--down-to", target)
        #expect(refused.exitCode == 64, "nobody is there to be asked")
        for words in ["from version \(latest) down to \(target)", "dropped for good", "--yes"] {
            #expect(refused.output.contains(words), "\(refused.output)")
        }
        let dry = try await stack.capturectl("migrate", "--down-to", target, "--dry-run")
        #expect(dry.exitCode == 0 && dry.output.contains("from version \(latest) down to \(target)"), "\(dry.output)")
        #expect(try await version(stack) == latest)
        let (_, preview) = try await stack.capturectlJSON("migrate", "--down-to", target, "--dry-run")
        #expect(preview["from_version"] as? Int == latest && preview["to_version"] as? Int == latest - 1)
        #expect(preview["results"] as? Int == 0 && preview["open_rows"] as? Int == 0, "\(preview)")

        let (code, object) = try await stack.capturectlJSON("migrate", "--down-to", target, "--yes")
        #expect(code == 0 && (object["steps"] as? [String])?.count == 1, "\(object)")
        #expect(try await version(stack) == latest - 1)
        let again = try await stack.capturectl("migrate", "--down-to", target)
        #expect(again.exitCode == 0, "there is nothing to be asked about: \(again.output)")
        #expect(again.output.contains("the schema is at version \(target) already"), "\(again.output)")
        let (_, up) = try await stack.capturectlJSON("migrate")
        #expect(up["from_version"] as? Int == latest - 1 && up["to_version"] as? Int == latest, "\(up)")
        let id = try await stack.psql("SELECT id FROM installation").trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(up["installation"] as? String == id, "\(up)")
        #expect(try await version(stack) == latest)
    }

    @Test func `each step is told when it begins and when it is done, and the audit has who goes down`() async throws {
        let stack = try await Stack.start()
        let last = try #require(Migration.all.last)
        let down = try await stack.capturectl(
            "migrate", "--down-to", "\(last.version - 1)", "--yes", "--actor", "alice")
        #expect(down.exitCode == 0 && down.output.contains("by alice, as the audit will say"), "\(down.output)")
        let up = try await stack.capturectl("migrate")
        for (run, direction) in [(down, "down"), (up, "up")] {
            let step = "schema: \(direction) \(last.version) \(last.name)"
            #expect(run.output.contains("\(step) begins\n"), "\(run.output)")
            #expect(run.output.contains("\(step) is done\n"), "\(run.output)")
        }
        let again = try await stack.capturectl("migrate")
        #expect(again.output.contains("schema: version \(last.version), up to date\n"), "\(again.output)")
        try await stack.withBackstage { _, _, store in
            let note = try #require(try await store.auditTrail(of: "schema", limit: 5).first)
            #expect(note.action == "schema.down" && note.actor == "alice")
            #expect(note.details == ["from": "\(last.version)", "to": "\(last.version - 1)"])
        }
    }

    @Test func `the audit says how far a way down came that a step has ended`() async throws {
        let stack = try await Stack.start()
        // Step 7 drops the table that this view needs.
        try await stack.psql("CREATE VIEW somebodys AS SELECT outcome FROM receipts")
        let run = try await stack.capturectl("migrate", "--down-to", "6", "--yes", "--actor", "alice")
        #expect(run.exitCode == 70, "\(run.output)")
        #expect(try await version(stack) == 7)
        try await stack.withBackstage { _, _, store in
            let trail = try await store.auditTrail(of: "schema", limit: 5)
            #expect(trail.map(\.action) == ["schema.down.missed", "schema.down"])
            let missed = try #require(trail.first)
            #expect(missed.actor == "alice" && missed.details["to"] == "6" && missed.details["reached"] == "7")
            #expect(missed.details["fault"]?.isEmpty == false, "\(missed.details)")
        }
    }

    /// Whoever goes back to an older release starts its migration, too: Compose and Kubernetes wait for it.
    @Test func `a schema of a newer release is kept, and not brought down`() async throws {
        let stack = try await Stack.start()
        let newer = Migration.all.count + 1
        try await stack.psql(
            "INSERT INTO schema_migrations (version, name, checksum) VALUES (\(newer), 'later', 'of a later release')")
        let run = try await stack.capturectl("migrate")
        #expect(run.exitCode == 0 && run.output.contains("schema: version \(newer) is there, newer"), "\(run.output)")
        for option in ["--dry-run", "--yes"] {
            let down = try await stack.capturectl("migrate", "--down-to", "8", option)
            #expect(down.exitCode == 70 && down.output.contains("at migration \(newer)"), "\(down.output)")
        }
        #expect(try await version(stack) == newer)
    }

    @Test func `the audit names whom the environment names, or else the command`() async throws {
        let stack = try await Stack.start()
        let redis = try await PrivateRedis.start()
        func migrate(_ option: String, _ settings: [String: String]) async throws -> [String] {
            let home = try TemporaryDirectory.make("bundles")
            defer { try? FileManager.default.removeItem(at: home) }
            let folder = home.appending(path: "store")
            let own = ["CAPTURE_REDIS_URL": redis.url, "CAPTURE_BUNDLES_DIRECTORY": folder.path]
            let run = try await LeashedProcess.run(
                Programs.path("capturectl"), ["migrate", option],
                environment: stack.environment.merging(own) { $1 }.merging(settings) { $1 })
            #expect(run.exitCode == 0, "\(run.output)")
            return try await stack.psql("SELECT action || ' by ' || actor FROM audit ORDER BY id DESC LIMIT 2")
                .split(separator: "\n").map(String.init)
        }
        let named = try await migrate("--new-installation", ["CAPTURE_ACTOR": "alice"])
        #expect(named == ["bundles.prepare by alice", "installation.renew by alice"])
        let unnamed = try await migrate("--new-bundle-directory", ["CAPTURE_ACTOR": ""])
        #expect(unnamed.first == "bundles.prepare by capturectl migrate", "\(unnamed)")
    }

    @Test func `a no on a terminal drops nothing and is exit code 1`() async throws {
        let stack = try await Stack.start()
        let command = "\(Programs.path("capturectl")) migrate --down-to 0"
        let run = try await LeashedProcess.run(
            "sh", ["-c", #"echo n | script -qec "$0" /dev/null"#, command], environment: stack.environment)
        #expect(run.exitCode == 1 && run.output.contains("declined; nothing was done"), "\(run.output)")
        #expect(try await version(stack) == Migration.all.count)
    }

    /// A bundle volume that is not mounted leaves an empty directory, which would swallow uploads if it was prepared.
    @Test func `an empty place is not prepared where the bundle directory should be`() async throws {
        let scene = try await FilesystemScene.set()
        #expect(try await scene.stack.capturectl("migrate").exitCode == 0, "the one that is there is the one")
        try FileManager.default.moveItem(at: scene.directory, to: scene.directory.appendingPathExtension("away"))
        try FileManager.default.createDirectory(at: scene.directory, withIntermediateDirectories: false)
        let refused = try await scene.stack.capturectl("migrate")
        #expect(refused.exitCode == 69, "\(refused.output)")
        #expect(refused.output.contains("is it mounted?") && refused.output.contains("--new-bundle-directory"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.directory.path).isEmpty)

        #expect(try await scene.stack.capturectl("migrate", "--new-bundle-directory").exitCode == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.directory.path).count > 256)
        let notes = try await scene.stack.psql("SELECT count(*) FROM audit WHERE action = 'bundles.prepare'")
        #expect(Int(notes.trimmingCharacters(in: .whitespacesAndNewlines)) == 2)
    }

    @Test(arguments: ["migrate --down-to 0", "dead discard --all", "devices revoke DEVICE --reason lost"])
    func `what a question is about stands before it, wherever the output goes`(words: String) async throws {
        let stack = try await Stack.start()
        let device = try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(1, in: store)
            _ = try await crowd.enqueue(rounds: 1, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
            _ = try await queue.bury(fault: "of the test")
            return crowd.devices[0].id
        }
        let file = stack.directory.appendingPathComponent("output").path
        let arguments = words.replacing("DEVICE", with: "\(device)")
        for option in ["", " --json"] {
            let command = "\(Programs.path("capturectl")) \(arguments)\(option) >\(file)"
            let run = try await LeashedProcess.run(
                "sh", ["-c", #"echo n | script -qec "$0" /dev/null; code=$?; echo; exit $code"#, command],
                environment: stack.environment)
            #expect(run.exitCode == 1, "\(run.output)")
            let preview = run.output.firstRange(
                of: /dropped for good|1 dead letter of|without a result will be rejected/)
            let question = try #require(run.output.firstRange(of: "[y/N]"))
            #expect(try #require(preview).upperBound < question.lowerBound, "\(run.output)")
            let output = try String(contentsOfFile: file, encoding: .utf8)
            #expect(output.contains(option.isEmpty ? "nothing was done" : "\"dry_run\":false"), "\(output)")
        }
    }

    @Test(arguments: [
        ["--down-to=-3"], ["--down-to=1000"], ["--dry-run"], ["--yes"], ["--down-to=1", "--new-bundle-directory"],
        ["--down-to=1", "--new-installation"], ["--down-to=1", "--grant-to=capture"],
    ])
    func `a version that is none, a dry run of nothing, and what contradicts itself are bad usage`(
        arguments: [String]
    ) async throws {
        let run = try await LeashedProcess.run(Programs.path("capturectl"), ["migrate"] + arguments)
        #expect(run.exitCode == 64, "\(run.output)")
    }

    @Test func `servers that are not there are exit code 69`() async throws {
        let away = [
            "CAPTURE_REDIS_URL": "redis://127.0.0.1:1", "CAPTURE_POSTGRES_URL": "postgresql://127.0.0.1:1/capture",
        ]
        let run = try await LeashedProcess.run(Programs.path("capturectl"), ["migrate"], environment: away)
        #expect(run.exitCode == 69 && run.output.contains("PostgreSQL"), "\(run.output)")
    }
}
