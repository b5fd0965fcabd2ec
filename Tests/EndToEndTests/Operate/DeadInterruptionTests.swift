import CaptureModel
import CaptureQueue
import CaptureStore
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("What is done to dead letters and does not come to its end", .timeLimit(.minutes(5)))
struct DeadInterruptionTests {
    /// A stack with dead letters of one device, all of them in the ledger, and no gateway any more.
    private func buried(_ count: UInt64, settings: [String: String] = [:]) async throws -> (Stack, [String]) {
        let stack = try await Stack.start(settings: settings)
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        for seed in 1...count { _ = try await phone.upload(try phone.shoot(seed: seed)) }
        // Its reconciler would touch the rows as well.
        try await gateway.kill()
        let ids = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "of the test") }
        try #require(ids.count == Int(count))
        return (stack, ids.map(\.description))
    }

    @Test func `a stop lets the captures under way end, the audit has the rest as missed, and the exit code is 143`()
        async throws
    {
        let waits = ["CAPTURE_POSTGRES_LOCK_TIMEOUT": "60s", "CAPTURE_POSTGRES_STATEMENT_TIMEOUT": "60s"]
        let (stack, ids) = try await buried(6, settings: waits)
        // Somebody holds the row of the second; four are discarded at once.
        let standstill = try await Standstill.begin(
            in: stack, "SELECT 1 FROM intake WHERE capture_id = '\(ids[1])' FOR UPDATE")
        let command = ["dead", "discard"] + ids + ["--yes", "--actor", "alice", "--json"]
        let process = try LeashedProcess(Programs.path("capturectl"), command, environment: stack.environment)
        try await standstill.untilMet(by: "capturectl")
        process.signal(SIGTERM)
        try await process.line(containing: "stops after what is under way")
        try await standstill.end()
        #expect(try await process.exitCode() == 143, "\(process.output)")
        let line = try #require(process.output.split(separator: "\n").first { $0.hasPrefix("{") })
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["done"] as? Int == 4 && object?["interrupted"] as? Int == 2, "\(process.output)")
        #expect(object?["stopped"] as? Bool == true && (object?["unknown"] as? [Any])?.isEmpty == true)
        try await stack.withBackstage { queue, _, store in
            #expect(try await queue.load().deadLetters == 2)
            for (id, actions) in zip(ids, [1, 1, 1, 1, 2, 2]) {
                let trail = try await store.auditTrail(of: id, limit: 5).map(\.action)
                #expect(trail == Array(["capture.discard.missed", "capture.discard"].suffix(actions)), "\(id)")
            }
        }
        let left = ids[4...].sorted().joined(separator: "\n")
        #expect(try await stack.psql("SELECT capture_id FROM intake ORDER BY capture_id") == left)
    }

    @Test func `nothing is in doubt where the audit took no note, and so nothing was tried`() async throws {
        let (stack, ids) = try await buried(2)
        // NOT VALID: what is there stays, and nothing comes.
        try await stack.psql("ALTER TABLE audit ADD CONSTRAINT no_notes CHECK (false) NOT VALID")
        let run = try await stack.capturectl("dead", "redrive", ids[0], ids[1])
        #expect(run.exitCode == 70, "\(run.output)")
        #expect(run.output.contains("not redriven, as a fault came between: 2"), "\(run.output)")
        #expect(!run.output.contains("nobody knows"), "\(run.output)")
        try await stack.withBackstage { queue, _, _ async throws in #expect(try await queue.load().deadLetters == 2) }
    }
}
