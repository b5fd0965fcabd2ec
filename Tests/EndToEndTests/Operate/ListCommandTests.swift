import CaptureModel
import DeviceSimulator
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("Lists of captures, devices and invitations", .timeLimit(.minutes(5)))
struct ListCommandTests {
    private static let nobody = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"

    /// A stack with two devices, two invitations and two captures that wait, which only the ledger knows.
    private static let stack = Once<Stack> {
        let stack = try await Stack.start()
        try await stack.withBackstage { _, _, store in
            let devices = try await Crowd.register(2, in: store).devices
            try await stack.psql(
                """
                INSERT INTO intake (
                    capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest,
                    photo_bytes, depth_bytes, received_at, bundle_store
                )
                SELECT gen_random_uuid(), digest, '\(devices[0].id)', 'concat-v1', '', '', digest, digest, 0, 0, now(),
                    'redis'
                FROM (SELECT sha256(number::text::bytea) AS digest FROM generate_series(1, 2) AS number) AS made
                """)
        }
        for _ in 0..<2 { #expect(try await stack.capturectl("invitations", "create").exitCode == 0) }
        return stack
    }

    @Test(arguments: [("devices", "device_id"), ("invitations", "invitation_id")])
    func `a page that is just full is the last one, and an id that does not exist is no place in the list`(
        _ list: String, id: String
    ) async throws {
        let stack = try await Self.stack.value()
        let (_, whole) = try await stack.capturectlJSON(list, "list", "--limit", "2")
        let rows = try #require(whole[list] as? [[String: Any]])
        #expect(rows.count == 2 && whole["next"] is NSNull, "\(whole)")
        let (_, first) = try await stack.capturectlJSON(list, "list", "--limit", "1")
        #expect((first[list] as? [Any])?.count == 1)
        let next = try #require(first["next"] as? String)
        #expect(next == rows[0][id] as? String)
        let (_, second) = try await stack.capturectlJSON(list, "list", "--limit", "1", "--after", next)
        #expect((second[list] as? [Any])?.count == 1 && second["next"] is NSNull, "\(second)")

        let last = try #require(rows[1][id] as? String)
        let end = try await stack.capturectl(list, "list", "--after", last)
        #expect(end.exitCode == 0 && end.output.contains("no more \(list)"), "\(end.output)")
        let unknown = try await stack.capturectl(list, "list", "--after", Self.nobody)
        #expect(unknown.exitCode == 1 && unknown.output.contains("\(Self.nobody): begin again"), "\(unknown.output)")
    }

    @Test func `a page of captures that is just full is the last one`() async throws {
        let stack = try await Self.stack.value()
        let (_, whole) = try await stack.capturectlJSON("captures", "list", "--limit", "2")
        #expect((whole["captures"] as? [Any])?.count == 2 && whole["next"] is NSNull, "\(whole)")
        let (_, first) = try await stack.capturectlJSON("captures", "list", "--limit", "1")
        let next = try #require(first["next"] as? String)
        let (_, second) = try await stack.capturectlJSON("captures", "list", "--limit", "1", "--after", next)
        #expect((second["captures"] as? [Any])?.count == 1 && second["next"] is NSNull, "\(second)")
    }

    @Test(arguments: ["1", "50"])
    func `a page of captures in a state is looked for behind as many as it may have`(limit: String) async throws {
        let stack = try await Self.stack.value()
        let page = try await stack.capturectl("captures", "list", "--state", "processing", "--limit", limit)
        #expect(page.exitCode == 0 && page.output.contains("no captures"), "\(page.output)")
        #expect(!page.output.contains("--after"), "\(page.output)")
    }

    @Test(arguments: ["--state", "--status"])
    func `captures that failed are dead letters, and said to be`(option: String) async throws {
        let run = try await LeashedProcess.run(Programs.path("capturectl"), ["captures", "list", option, "failed"])
        #expect(run.exitCode == 64 && run.output.contains("capturectl dead list"), "\(run.output)")
    }

    @Test(arguments: [
        ["--reason", "ATTEMPTS_EXHAUSTED"], ["--reason", "bundle_missing"], ["--reason", "TIMESTAMP_SKEW"],
        ["--reason", "REASON_UNKNOWN"], ["--state", "open", "--reason", "COUNTER_REPLAY"],
        ["--state", "verified", "--reason", "COUNTER_REPLAY"], ["--state", "rejected", "--confidence", "high"],
        ["--state", "open", "--confidence", "low"], ["--reason", "COUNTER_REPLAY", "--confidence", "low"],
        ["--since", "2026-04-21T00:00:00Z", "--until", "2026-04-20T00:00:00Z"],
    ])
    func `what no capture can be is bad usage`(options: [String]) async throws {
        let run = try await LeashedProcess.run(Programs.path("capturectl"), ["captures", "list"] + options)
        #expect(run.exitCode == 64, "\(run.output)")
        let isOfDeadLetters = ["ATTEMPTS_EXHAUSTED", "bundle_missing"].contains(options[1])
        #expect(run.output.contains("capturectl dead list --reason") == isOfDeadLetters, "\(run.output)")
    }

    /// A row that wraps is read as two.
    @Test(arguments: [(80, false), (130, false), (160, true)])
    func `the captures fit the terminal, and with room enough their devices too`(
        columns: Int, hasDevice: Bool
    ) async throws {
        let stack = try await Self.stack.value()
        let command = "stty cols \(columns); \(Programs.path("capturectl")) captures list"
        let run = try await LeashedProcess.run(
            "script", ["-qec", command, "/dev/null"],
            environment: stack.environment.merging(["TERM": "xterm", "NO_COLOR": "1"]) { $1 })
        #expect(run.exitCode == 0, "\(run.output)")
        let lines = run.output.split(whereSeparator: \.isNewline)
        #expect(lines.count { $0.contains("queued") } == 2, "\(run.output)")
        #expect(lines.allSatisfy { $0.count <= columns }, "\(run.output)")
        #expect(run.output.contains("device") == hasDevice, "\(run.output)")
    }
}
