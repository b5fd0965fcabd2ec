import CaptureModel
import CaptureQueue
import CaptureStore
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("A queue that an operator pauses", .timeLimit(.minutes(5)))
struct PauseCommandTests {
    @Test func `a queue is paused and goes on, and a server that is away is said to be`() async throws {
        let stack = try await Stack.start()
        try await stack.withBackstage { queue, _, store in
            #expect(try await stack.capturectl("pause", "--actor", "bob").exitCode == 0)
            #expect(try await queue.load().isPaused)
            var since = try await pausedSince(by: "bob", in: stack)
            try await eventually {
                try await stack.capturectl("pause").output.contains("paused already since \(since), by bob; ")
            }
            try await eventually {
                try await stack.capturectl("stats").output.contains("since \(since), by bob: capturectl resume")
            }
            var resume = try await stack.capturectl("resume", "--actor", "bob")
            var rounds = 1
            while !resume.output.contains(", by bob; ") {
                try #require(rounds < 20, "\(resume.output)")
                #expect(try await stack.capturectl("pause", "--actor", "bob").exitCode == 0)
                since = try await pausedSince(by: "bob", in: stack)
                resume = try await stack.capturectl("resume", "--actor", "bob")
                rounds += 1
            }
            #expect(resume.exitCode == 0 && resume.output.contains("resumed, paused since \(since), by bob; "))
            let unpaused = try await stack.capturectl("resume")
            #expect(unpaused.output.contains("not paused; ") && !unpaused.output.contains("since"))
            #expect(try await !stack.capturectl("stats").output.contains("capturectl resume"))
            #expect(try await queue.load().isPaused == false)
            let trail = try await store.auditTrail(of: "queue", limit: 100)
            let deeds = Array(repeating: ["queue.resume", "queue.pause"], count: rounds).flatMap(\.self)
            #expect(trail.map(\.action) == deeds && trail.allSatisfy { $0.actor == "bob" })
        }
        try await stack.redis.stop()
        // The time to connect is waited out.
        let hasty = stack.environment.merging(["CAPTURE_REDIS_CONNECT_TIMEOUT": "2s"]) { $1 }
        let away = try await LeashedProcess.run(Programs.path("capturectl"), ["dead", "list"], environment: hasty)
        #expect(away.exitCode == 69 && away.output.contains("Redis"))
    }

    @Test func `a pause that has just begun tells since when, and by whom`() async throws {
        let stack = try await Stack.start()
        let pause = try await stack.capturectlJSON("pause", "--actor", "bob")
        #expect(pause.exitCode == 0 && pause.object["changed"] as? Bool == true, "\(pause.object)")
        #expect(pause.object["actor"] as? String == "bob", "\(pause.object)")
        let kept = try await stack.redis.cli("GET", stack.keyspace.all[0].paused)
        let moment = Timestamp(microsecondsSince1970: try #require(Int64(kept)))
        #expect(pause.object["since"] as? String == moment.rfc3339, "\(pause.object)")
        let resume = try await stack.capturectlJSON("resume")
        #expect(resume.object["since"] as? String == moment.rfc3339, "\(resume.object)")
        let none = try await stack.capturectlJSON("resume")
        #expect(none.object["since"] is NSNull && none.object["actor"] is NSNull, "\(none.object)")
    }

    /// As after a restore: a backup is made during a pause of its own, which is the last one that its audit has.
    @Test func `a pause that the audit does not have is nobody's, and not the last one that it has`() async throws {
        let stack = try await Stack.start()
        #expect(try await stack.capturectl("pause", "--actor", "backup").exitCode == 0)
        let moment = Timestamp(microsecondsSince1970: 1_700_000_000_000_000)
        for partition in stack.keyspace.all {
            try await stack.redis.cli("SET", partition.paused, "\(moment.microsecondsSince1970)")
        }
        let since = "since \(moment.rfc3339)"
        // The audit may not answer at once on a busy machine, and then nothing is said of it.
        try await eventually {
            let stats = try await stack.capturectl("stats").output
            return stats.contains("\(since), by whom the audit does not say: capturectl resume")
        }
        let again = try await stack.capturectlJSON("pause", "--actor", "carol")
        #expect(again.object["since"] as? String == moment.rfc3339 && again.object["actor"] is NSNull)
        let resume = try await stack.capturectl("resume").output
        #expect(resume.contains("resumed, paused \(since)") && !resume.contains("by backup"), "\(resume)")
    }

    /// Since when the queue is paused, as another pause tells, which changes nothing.
    ///
    /// Commands tell by whom where the audit answers at once, which on a busy machine it may not do.
    private func pausedSince(by actor: String, in stack: Stack) async throws -> String {
        var since: String?
        let isTold = try await eventually(within: .seconds(60)) {
            let again = try await stack.capturectlJSON("pause", "--actor", "carol").object
            try #require(again["changed"] as? Bool == false, "\(again)")
            guard let named = again["actor"] as? String else { return false }
            #expect(named == actor)
            since = again["since"] as? String
            return true
        }
        try #require(isTold, "the audit tells nobody")
        return try #require(since)
    }

    @Test func `a pause that has reached some partitions only is finished by the next`() async throws {
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_PARTITIONS": "4"])
        try await stack.redis.cli("SET", "{cq:2}:paused", "1790000000000001")
        let pause = try await stack.capturectlJSON("pause")
        #expect(pause.exitCode == 0 && pause.object["paused"] as? Bool == true)
        #expect(pause.object["changed"] as? Bool == false)
        for partition in 0..<4 {
            #expect(try await stack.redis.cli("EXISTS", "{cq:\(partition)}:paused") == "1", "\(partition)")
        }
    }
}
