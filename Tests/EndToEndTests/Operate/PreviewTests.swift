import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

/// Nobody drops anything on the wrong servers, or as somebody else, without having been told.
@Suite("What is asked about begins with where and who", .timeLimit(.minutes(5)))
struct PreviewTests {
    /// A stack with a device and a dead letter.
    private struct Scene: Sendable {
        let stack: Stack
        let device: String
    }

    private static let scene = Once<Scene> {
        let stack = try await Stack.start()
        let device = try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(1, in: store)
            _ = try await crowd.enqueue(rounds: 1, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
            _ = try await queue.bury(fault: "of the test")
            return crowd.devices[0].id
        }
        return Scene(stack: stack, device: "\(device)")
    }

    private func run(
        _ words: String, _ environment: [String: String] = [:]
    ) async throws -> (exitCode: Int32, output: String) {
        let scene = try await Self.scene.value()
        let secretive = ["CAPTURE_POSTGRES_URL": "\(scene.stack.database) password=hush"]
        let settings = scene.stack.environment.merging(secretive) { $1 }.merging(environment) { $1 }
        let arguments = words.replacing("DEVICE", with: scene.device).split(separator: " ").map(String.init)
        return try await LeashedProcess.run(Programs.path("capturectl"), arguments, environment: settings)
    }

    @Test(arguments: [
        "migrate --down-to 0 --dry-run", "dead redrive --all --dry-run", "dead discard --all --dry-run",
        "devices revoke DEVICE --reason lost --dry-run",
        "devices compromise DEVICE --since 2020-01-01T00:00:00Z --reason lost --dry-run",
        // Nobody is there to be asked.
        "migrate --down-to 0", "dead redrive --all", "dead discard --all", "devices revoke DEVICE --reason lost",
        "devices compromise DEVICE --since 2020-01-01T00:00:00Z --reason lost",
    ])
    func `a question begins with the servers, without their passwords`(words: String) async throws {
        let stack = try await Self.scene.value().stack
        let run = try await run(words)
        #expect(run.exitCode == (words.hasSuffix("--dry-run") ? 0 : 64), "\(run.output)")
        let first = try #require(run.output.split(separator: "\n").first)
        let socket = stack.redis.url.replacing("unix://", with: "")
        #expect(first.hasPrefix("database \(stack.databaseName) at "), "\(run.output)")
        #expect(first.hasSuffix("; Redis at \(socket)"), "\(run.output)")
        #expect(!run.output.contains("hush"), "\(run.output)")
    }

    @Test(arguments: [
        "migrate --down-to 0 --dry-run", "dead redrive --all --dry-run", "dead discard --all --dry-run",
        "devices revoke DEVICE --reason lost --dry-run",
        "devices compromise DEVICE --since 2020-01-01T00:00:00Z --reason lost --dry-run",
    ])
    func `with JSON the servers and the rest of the preview stand on the error stream`(words: String) async throws {
        let scene = try await Self.scene.value()
        let arguments = words.replacing("DEVICE", with: scene.device).split(separator: " ").map(String.init)
        let run = try await CommandLineRun(arguments + ["--json"], environment: scene.stack.environment)
        #expect(run.exitCode == 0 && run.errors.hasPrefix("database \(scene.stack.databaseName) at "), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count > 2, "\(run.errors)")
        #expect(try run.objects().count == 1, "\(run.output)")
    }

    @Test func `a question before a way down says how much it leads through`() async throws {
        let scene = try await Self.scene.value()
        try await scene.stack.psql(
            """
            INSERT INTO intake (
                capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest,
                photo_bytes, depth_bytes, received_at, bundle_store, closed_at
            )
            SELECT gen_random_uuid(), digest, '\(scene.device)', 'concat-v1', '', '', digest, digest, 0, 0, now(),
                'redis', CASE WHEN number > 3 THEN now() END
            FROM (SELECT number, sha256(number::text::bytea) AS digest FROM generate_series(1, 5) AS number) AS made
            """)
        let down = try await run("migrate --down-to 1 --dry-run")
        #expect(down.output.contains("it holds 0 results, and in the ledger 3 open rows"), "\(down.output)")
        let line = try #require(down.output.split(separator: "\n").first { $0.hasPrefix("dropped for good") })
        for lost in ["intake", "attestations", "devices", "captures"] {
            #expect(line.contains(lost), "\(line)")
        }
        #expect(!line.contains("audit"))
    }

    @Test(arguments: [("", "alice"), (" --actor bob", "bob")])
    func `a question begins with who acts, whom the environment names where nobody else does`(
        option: String, actor: String
    ) async throws {
        let environment = ["CAPTURE_ACTOR": "alice", "SUDO_USER": "somebody"]
        for words in ["dead redrive --all", "dead discard --all", "devices revoke DEVICE --reason lost"] {
            let run = try await run("\(words) --dry-run\(option)", environment)
            #expect(run.exitCode == 0, "\(run.output)")
            let lines = run.output.split(separator: "\n")
            #expect(lines.count > 2 && lines[1] == "by \(actor), as the audit will say", "\(run.output)")
        }
    }

    @Test func `the audit names whom the environment names`() async throws {
        let stack = try await Stack.start()
        let environment = stack.environment.merging(["CAPTURE_ACTOR": "alice, ticket 4711"]) { $1 }
        let run = try await LeashedProcess.run(Programs.path("capturectl"), ["pause"], environment: environment)
        #expect(run.exitCode == 0, "\(run.output)")
        // An empty one names nobody.
        let resume = try await stack.capturectl(["resume"], settings: ["CAPTURE_ACTOR": "", "SUDO_USER": "bob"])
        #expect(resume.exitCode == 0, "\(resume.output)")
        try await stack.withBackstage { _, _, store in
            let actors = try await store.auditTrail(of: "queue", limit: 5).map(\.actor)
            #expect(actors.count == 2 && actors[0].hasPrefix("bob@") && actors[1] == "alice, ticket 4711", "\(actors)")
        }
        let long = try await stack.capturectl(
            ["pause"], settings: ["CAPTURE_ACTOR": String(repeating: "x", count: 201)])
        #expect(long.exitCode == 64 && long.output.contains("CAPTURE_ACTOR takes 1 to 200 bytes"), "\(long.output)")
    }

    @Test(arguments: [
        ("--actor", ["pause", "--actor", "eve\u{1B}[2K"]), ("--actor", ["resume", "--actor", "eve\nalice"]),
        ("--note", ["invitations", "create", "--note", "Ada\rBob"]),
        ("--note", ["invitations", "create", "--note", ""]),
        ("--note", ["invitations", "create", "--note", "Ada\u{2028}Bob"]),
        ("--actor", ["pause", "--actor", "eve\u{202E}ecila"]),
    ])
    func `what operators write is one line that moves no cursor`(option: String, arguments: [String]) async throws {
        let run = try await LeashedProcess.run(Programs.path("capturectl"), arguments)
        #expect(run.exitCode == 64, "\(run.output)")
        #expect(run.output.contains("\(option) takes 1 to 200 bytes in one line, with"), "\(run.output)")
    }
}
