import AsyncHTTPClient
import CaptureModel
import CaptureStore
import DeviceSimulator
import Foundation
import GatewayClient
import NIOCore
import NIOHTTP1
import PostgresCaptureStore
import TestSupport
import Testing

@Suite("capturectl ends devices", .timeLimit(.minutes(5)))
struct DeviceCommandTests {
    @Test func `a compromised key is noted, and told with the device and with what it has signed`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        _ = try await phone.settled(capture)
        let since = "2020-01-01T00:00:00.000Z"
        let compromise = ["devices", "compromise", "\(phone.id)", "--since", since, "--reason", "stolen"]
        func run(_ more: String...) async throws -> (exitCode: Int32, output: String) {
            try await stack.capturectl(compromise + more)
        }
        #expect(try await run().exitCode == 64, "nobody is there to be asked")
        let dry = try await run("--dry-run")
        #expect(dry.exitCode == 0 && dry.output.contains("1 capture verified since then"), "\(dry.output)")
        let before = try await stack.capturectl("devices", "affected", "\(phone.id)")
        #expect(before.exitCode == 0 && before.output.contains("not compromised"), "\(before.output)")
        let done = try await run("--yes", "--actor", "alice")
        #expect(done.exitCode == 0 && done.output.contains("1 verified result marked"), "\(done.output)")

        let (_, affected) = try await stack.capturectlJSON("devices", "affected", "\(phone.id)")
        #expect(affected["compromised_since"] as? String == since)
        let results = try #require(affected["results"] as? [[String: Any]])
        #expect(results.map { $0["capture_id"] as? String } == ["\(capture)"])
        let (_, full) = try await stack.capturectlJSON("devices", "affected", "\(phone.id)", "--limit", "1")
        #expect((full["results"] as? [Any])?.count == 1 && full["next"] is NSNull, "\(full)")
        let (_, list) = try await stack.capturectlJSON("devices", "list", "--limit", "500")
        let listed = (list["devices"] as? [[String: Any]] ?? []).first { $0["device_id"] as? String == "\(phone.id)" }
        #expect(listed?["compromised_since"] as? String == since)
        let (_, device) = try await stack.capturectlJSON("devices", "show", "\(phone.id)")
        #expect(device["compromised_since"] as? String == since && device["compromised_by"] as? String == "alice")
        #expect((device["receipt"] as? [String: Any])?["outcome"] as? String == "ended")
        let deed = (device["audit"] as? [[String: Any]] ?? []).first { $0["action"] as? String == "device.compromise" }
        let details = deed?["details"] as? [String: String]
        #expect(details?["reason"] == "stolen", "\(device)")
        #expect(details?["since"]?.hasPrefix("2020-01-01T00:00:00.000") == true, "\(device)")
        let text = try await stack.capturectl("devices", "show", "\(phone.id)").output
        #expect(text.contains(/device\.compromise  by alice  reason: stolen  since: 2020-01-01/), "\(text)")
        #expect((device["attestations"] as? [Any])?.count == 1)
        let (_, shown) = try await stack.capturectlJSON("captures", "show", "\(capture)")
        #expect(shown["compromised_since"] as? String == since && shown["status"] as? String == "verified")
        let captures = try await stack.capturectl("captures", "list", "--device", "\(phone.id)")
        #expect(captures.output.contains("verified, compromised"), "\(captures.output)")
        let unknown = try await stack.capturectl("devices", "affected", "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21")
        #expect(unknown.exitCode == 1 && unknown.output.contains("no device"))
        for process in [gateway, worker] { try await process.kill() }
    }

    @Test func `whoever revokes a device once more is told since when it is revoked`() async throws {
        let stack = try await Stack.start()
        let device = try await stack.withBackstage { _, _, store in
            try await Crowd.register(1, in: store).devices[0].id
        }
        let since = "2020-01-01T00:00:00.000Z"
        let before = try await stack.capturectlJSON("devices", "revoke", "\(device)", "--reason", "x", "--dry-run")
        #expect(before.exitCode == 0 && before.object["revoked_at"] is NSNull, "\(before.object)")
        let first = try await stack.capturectlJSON(
            "devices", "revoke", "\(device)", "--reason", "lost", "--from", since, "--yes", "--actor", "alice")
        #expect(first.exitCode == 0 && first.object["revoked_at"] as? String == since, "\(first.object)")

        let again = try await stack.capturectl("devices", "revoke", "\(device)", "--reason", "stolen", "--yes")
        #expect(again.exitCode == 0, "\(again.output)")
        #expect(again.output.contains("revoked before: since \(since) by alice (lost)"), "\(again.output)")
        #expect(again.output.contains("revoked before, since \(since): that holds"), "\(again.output)")
        let third = try await stack.capturectlJSON("devices", "revoke", "\(device)", "--reason", "stolen", "--yes")
        #expect(third.exitCode == 0 && third.object["revoked"] as? Bool == true, "\(third.object)")
        #expect(third.object["revoked_at"] as? String == since, "\(third.object)")
    }

    @Test func `how many captures wait is not said where no ledger counts them`() async throws {
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_DURABILITY": "relaxed"])
        let device = try await stack.withBackstage { _, _, store in
            try await Crowd.register(1, in: store).devices[0].id
        }
        for command in [["revoke"], ["compromise", "--since", "2020-01-01T00:00:00Z"]] {
            let words = ["devices"] + command + ["\(device)", "--reason", "lost", "--dry-run"]
            let run = try await stack.capturectl(words)
            #expect(run.exitCode == 0 && run.output.contains("not known without a ledger"), "\(run.output)")
            let json = try await stack.capturectl(words + ["--json"])
            #expect(json.exitCode == 0 && json.output.contains(#""open_since":null"#), "\(json.output)")
        }
        let shown = try await stack.capturectl("devices", "show", "\(device)")
        #expect(shown.exitCode == 0 && shown.output.contains("not known without a ledger"), "\(shown.output)")
        let (_, object) = try await stack.capturectlJSON("devices", "show", "\(device)")
        #expect((object["captures"] as? [String: Any])?["open"] is NSNull, "\(object)")
    }

    @Test func `show says where the audit has more than is shown`() async throws {
        let stack = try await Stack.start()
        let device = try await stack.withBackstage { _, _, store in
            let device = try await Crowd.register(1, in: store).devices[0].id
            try await store.recordAudit(
                (0...50).map { deed in
                    AuditEntry(
                        at: Timestamp.systemTime(), actor: "bob", action: "deed.\(deed)", subject: "\(device)")
                })
            return device
        }
        let shown = try await stack.capturectl("devices", "show", "\(device)")
        #expect(shown.output.contains("deed.50  by bob") && !shown.output.contains("deed.0  by bob"), "\(shown.output)")
        #expect(shown.output.contains("earlier ones are in the table audit"), "\(shown.output)")
        let (_, object) = try await stack.capturectlJSON("devices", "show", "\(device)")
        #expect((object["audit"] as? [Any])?.count == 50 && object["audit_cut"] as? Bool == true)
    }

    /// What is urgent in PostgreSQL shall not wait until somebody has mended the rest.
    @Test func `what is in PostgreSQL alone is read and ended whosever Redis and bundle directory are`() async throws {
        let (stack, other) = (try await Stack.start(), try await FilesystemScene.set())
        let devices = try await stack.withBackstage { _, _, store in
            try await Crowd.register(2, in: store).devices.map { $0.id }
        }
        let environment = stack.environment.merging([
            "CAPTURE_REDIS_URL": other.stack.redis.url, "CAPTURE_BUNDLES_DIRECTORY": other.directory.path,
        ]) { $1 }
        func run(_ words: String) async throws -> (exitCode: Int32, output: String) {
            try await LeashedProcess.run(
                Programs.path("capturectl"), words.split(separator: " ").map(String.init), environment: environment)
        }
        let made = try await run("invitations create --json")
        let invitation = try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: Any]
        let id = try #require(invitation?["invitation_id"] as? String)
        for words in [
            "devices revoke \(devices[0]) --reason lost --yes",
            "devices compromise \(devices[1]) --since 2020-01-01T00:00:00Z --reason stolen --yes",
            "devices list", "devices show \(devices[0])", "devices affected \(devices[1])",
            "invitations revoke \(id)", "invitations list",
        ] {
            let answer = try await run(words)
            #expect(answer.exitCode == 0, "\(words): \(answer.output)")
        }
        let evidence = try await run("captures evidence 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21")
        #expect(evidence.exitCode == 1 && evidence.output.contains("no result"), "\(evidence.output)")
        let ended = try await stack.psql("SELECT count(*) FROM devices WHERE revoked_at IS NOT NULL")
        #expect(ended.trimmingCharacters(in: .whitespacesAndNewlines) == "2")
        for words in ["pause", "captures list", "dead list"] {
            let answer = try await run(words)
            #expect(answer.exitCode == 70 && answer.output.contains("installation"), "\(words): \(answer.output)")
        }
        #expect(try await other.stack.redis.cli("EXISTS", "{cq:0}:paused").hasPrefix("0"))
    }

    @Test func `what is told of a device has the names that the API has for it`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        func ask(_ path: String) async throws -> [String: Any] {
            var request = HTTPClientRequest(url: "\(client.configuration.url)/api/v1/devices\(path)")
            request.headers.add(name: "Authorization", value: "Bearer \(Stack.token)")
            let (_, bytes) = try await Stack.execute(request)
            let answer = try JSONSerialization.jsonObject(with: Data(bytes.readableBytesView)) as? [String: Any]
            return try #require(answer?["data"] as? [String: Any])
        }
        func first(_ page: [String: Any]) throws -> [String: Any] {
            try #require((page["devices"] as? [[String: Any]])?.first)
        }
        let page = try await ask("")
        let listed = try first(page)
        let (_, lines) = try await stack.capturectlJSON("devices", "list")
        let line = try first(lines)
        #expect(listed.count > 10 && Set(listed.keys).subtracting(line.keys) == [])
        for (name, value) in listed {
            #expect("\(value)" == line[name].map { "\($0)" }, "\(name)")
        }
        let details = try await ask("/\(phone.id)")
        let (_, shown) = try await stack.capturectlJSON("devices", "show", "\(phone.id)")
        #expect(Set(details.keys).subtracting(shown.keys) == ["device"], "the command tells it beside the rest")
        let seen = try #require(details["last_seen"] as? String)
        #expect(shown["last_seen"] as? String == seen)
        try await gateway.kill()
    }

    @Test(arguments: [
        ["compromise", "--since", "2999-01-01T00:00:00Z", "--reason", "x"], ["compromise", "--reason", "x"],
        ["compromise", "--since", "yesterday", "--reason", "x"],
        ["compromise", "--since", "2026-01-01T00:00:00Z", "--reason", String(repeating: "x", count: 501)],
        ["revoke", "--reason", String(repeating: "x", count: 501)], ["revoke", "--reason", ""],
        ["affected", "--limit", "0"], ["affected", "--after", "-1"],
    ])
    func `what cannot be done to a device is bad usage`(arguments: [String]) async throws {
        let run = try await LeashedProcess.run(
            Programs.path("capturectl"), ["devices"] + arguments + ["0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"])
        #expect(run.exitCode == 64, "\(run.output)")
    }
}
