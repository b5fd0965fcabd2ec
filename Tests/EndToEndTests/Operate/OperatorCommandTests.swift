import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

@Suite("capturectl answers for the queue, its captures and devices", .timeLimit(.minutes(5)))
struct OperatorCommandTests {
    @Test func `stats tells how full the queue is, how fast, why not, and who works`() async throws {
        let stack = try await OperatorScene.shared.value().stack
        let (code, object) = try await stack.capturectlJSON("stats")
        #expect(code == 0)
        #expect(object["captures_max"] as? Int == 100_000 && object["dead_letters"] as? Int == 0)
        let day = try #require(object["last_day"] as? [String: Any])
        #expect(day["verified"] as? Int ?? 0 >= 1)
        #expect((day["reasons"] as? [String: Int])?["SIGNATURE_INVALID"] ?? 0 >= 1)
        let workers = try #require(object["workers"] as? [[String: Any]])
        #expect(
            workers.contains { $0["alive"] as? Bool == true && $0["version"] as? String == ProcessorVersion.current })
        let text = try await stack.capturectl("stats")
        #expect(text.exitCode == 0)
        for word in ["queued", "dead letters", "SIGNATURE_INVALID", "alive", "minute"] {
            #expect(text.output.contains(word), "\(word)")
        }
        #expect(!text.output.contains("\u{1B}"), "no colours where there is no terminal")
    }

    @Test func `watch writes a line for each look where there is no terminal`() async throws {
        let stack = try await OperatorScene.shared.value().stack
        let run = try await stack.capturectl("watch", "--count", "2", "--interval", "0.2")
        #expect(run.exitCode == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("  queued ") })
        let objects = try await stack.capturectl("watch", "--count", "2", "--interval", "0.2", "--json")
        #expect(objects.output.split(separator: "\n").count == 2)
    }

    @Test func `watch ends when the reader of its pipe is gone`() async throws {
        let stack = try await OperatorScene.shared.value().stack
        // The shell waits for the whole pipeline: without an end of watch there is none of the run.
        let script = #"{ "$0" watch --interval 0.2; echo "ended with $?" >&2; } | head -n 2"#
        let run = try await LeashedProcess.run(
            "sh", ["-c", script, Programs.path("capturectl")], environment: stack.environment)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count(where: { $0.contains("  queued ") }) == 2, "\(run.output)")
        #expect(lines.last == "ended with 141", "\(run.output)")
    }

    @Test func `watch draws in place on a terminal`() async throws {
        let stack = try await OperatorScene.shared.value().stack
        let command = "\(Programs.path("capturectl")) watch --count 2 --interval 0.2"
        let run = try await LeashedProcess.run(
            "script", ["-qec", command, "/dev/null"], environment: stack.environment.merging(["TERM": "xterm"]) { $1 })
        #expect(run.exitCode == 0, "\(run.output)")
        #expect(run.output.contains("\u{1B}[H") && run.output.contains("Ctrl-C ends"))
    }

    @Test func `captures are listed with filters and pages that fit together`() async throws {
        let scene = try await OperatorScene.shared.value()
        func ids(_ arguments: String...) async throws -> [String] {
            let run = try await scene.stack.capturectl(["captures", "list", "--json"] + arguments)
            #expect(run.exitCode == 0, "\(run.output)")
            let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            return (object?["captures"] as? [[String: Any]] ?? []).compactMap { $0["capture_id"] as? String }
        }
        let device = ["--device", "\(scene.phone.id)"]
        #expect(try await ids("--state", "verified", device[0], device[1]).contains("\(scene.verified)"))
        #expect(
            try await ids("--state", "rejected", "--reason", "SIGNATURE_INVALID", device[0], device[1]) == [
                "\(scene.rejected)"
            ])
        #expect(try await ids("--confidence", "high", "--until", "2001-01-01T00:00:00Z") == [])
        let (_, first) = try await scene.stack.capturectlJSON(
            "captures", "list", "--limit", "1", device[0], device[1])
        let next = try #require(first["next"] as? String)
        let begun = (first["captures"] as? [[String: Any]] ?? []).compactMap { $0["capture_id"] as? String }
        let rest = try await ids("--after", next, device[0], device[1])
        #expect(begun + rest == ["\(scene.rejected)", "\(scene.verified)"], "newest first")
        for wrong in [["--reason", "NONE"], ["--since", "yesterday"], ["--after", "x"], ["--limit", "0"]] {
            #expect(try await scene.stack.capturectl("captures", "list", wrong[0], wrong[1]).exitCode == 64)
        }
    }

    @Test func `a capture is shown with each check and its reason in words`() async throws {
        let scene = try await OperatorScene.shared.value()
        let text = try await scene.stack.capturectl("captures", "show", "\(scene.rejected)")
        #expect(text.exitCode == 0)
        #expect(text.output.contains("SIGNATURE_INVALID: the signature does not cover these bytes"))
        let (code, object) = try await scene.stack.capturectlJSON("captures", "show", "\(scene.verified)")
        #expect(code == 0 && object["status"] as? String == "verified")
        #expect(
            (object["checks"] as? [Any])?.count == Check.Name.allCases.count - 2,
            "neither risk nor rollout")
        let unknown = try await scene.stack.capturectl("captures", "show", "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21")
        #expect(unknown.exitCode == 1 && unknown.output.contains("no capture"))
        let device = try await scene.stack.capturectl("captures", "show", "\(scene.phone.id)", "--json")
        let words = "capturectl: no capture \(scene.phone.id); the id is that of a device: capturectl devices show"
        #expect(device.exitCode == 1 && device.output == words, "\(device.output)")
        #expect(try await scene.stack.capturectl("captures", "show", "x").exitCode == 64)
        let evidence = try await scene.stack.capturectl("captures", "evidence", "\(scene.phone.id)")
        #expect(evidence.exitCode == 1 && evidence.output.contains("is that of a device"), "\(evidence.output)")
        let other = try await scene.stack.capturectl("devices", "show", "\(scene.verified)")
        #expect(other.exitCode == 1 && other.output.contains("is that of a capture"), "\(other.output)")
    }

    @Test func `a device is listed, shown and revoked, and says first what that concerns`() async throws {
        let scene = try await OperatorScene.shared.value()
        let phone = try await Phone.register(with: scene.phone.gateway, authority: scene.stack.authority)
        _ = try await phone.settled(try await phone.upload(try phone.shoot(seed: 1)))
        let (_, list) = try await scene.stack.capturectlJSON("devices", "list")
        let devices = try #require(list["devices"] as? [[String: Any]])
        #expect(devices.contains { $0["device_id"] as? String == "\(phone.id)" })
        let (_, device) = try await scene.stack.capturectlJSON("devices", "show", "\(phone.id)")
        #expect(device["attestation_level"] as? String == "secure_enclave")
        #expect((device["captures"] as? [String: Any])?["verified"] as? Int == 1)

        let revoke = ["devices", "revoke", "\(phone.id)", "--reason", "lost"]
        func run(_ more: String...) async throws -> (exitCode: Int32, output: String) {
            try await scene.stack.capturectl(revoke + more)
        }
        #expect(try await run().exitCode == 64, "nobody is there to be asked")
        let dry = try await run("--dry-run", "--from", "2020-01-01T00:00:00Z")
        #expect(dry.exitCode == 0 && dry.output.contains("1 capture settled since then"))
        let done = try await run("--yes", "--actor", "alice")
        #expect(done.exitCode == 0 && done.output.contains("revoked"))
        let shown = try await scene.stack.capturectl("devices", "show", "\(phone.id)")
        #expect(shown.output.contains("alice") && shown.output.contains("lost"))
        let (_, record) = try await scene.stack.capturectlJSON("devices", "show", "\(phone.id)")
        let deeds = try #require(record["audit"] as? [[String: Any]])
        #expect(deeds.contains { $0["action"] as? String == "device.revoke" && $0["actor"] as? String == "alice" })
        let refusal = try await phone.refusal(of: try phone.shoot(seed: 2))
        #expect(refusal.status == 403 && refusal.code == "DEVICE_REVOKED")
        let unknown = try await scene.stack.capturectl("devices", "show", "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21")
        #expect(unknown.exitCode == 1 && unknown.output.contains("no device"))
    }

    @Test func `what a revocation concerns is counted no further than 10000, and says so`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        // Nobody is there to put the rows in the queue.
        try await gateway.kill()
        try await stack.psql(
            """
            INSERT INTO intake (
                capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest,
                photo_bytes, depth_bytes, received_at, bundle_store
            )
            SELECT gen_random_uuid(), digest, '\(phone.id)', 'concat-v1', '', '', digest, digest, 0, 0, now(), 'redis'
            FROM (SELECT sha256(number::text::bytea) AS digest FROM generate_series(1, 10001) AS number) AS made
            """)
        let revoke = ["devices", "revoke", "\(phone.id)", "--reason", "lost", "--from", "2020-01-01T00:00:00Z"]
        let run = try await stack.capturectl(revoke + ["--dry-run"])
        #expect(run.exitCode == 0, "\(run.output)")
        #expect(run.output.contains("10000 or more captures without a result"), "\(run.output)")
        #expect(run.output.contains("\n0 captures settled since then"), "\(run.output)")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `shell completion knows every command`(shell: String) async throws {
        let run = try await LeashedProcess.run(
            Programs.path("capturectl"), ["--generate-completion-script", shell])
        #expect(run.exitCode == 0)
        let devices = ["devices", "revoke", "compromise", "affected"]
        for word in ["stats", "watch", "captures", "submit", "dead", "discard", "doctor"] + devices {
            #expect(run.output.contains(word), "\(word)")
        }
    }
}
