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
            let again = try await stack.capturectlJSON("pause", "--actor", "carol")
            #expect(again.object["changed"] as? Bool == false && again.object["actor"] as? String == "bob")
            let since = try #require(again.object["since"] as? String)
            #expect(try await stack.capturectl("pause").output.contains("paused already since \(since), by bob; "))
            #expect(try await stack.capturectl("stats").output.contains("since \(since), by bob: capturectl resume"))
            let resume = try await stack.capturectl("resume", "--actor", "bob")
            #expect(resume.exitCode == 0 && resume.output.contains("resumed, paused since \(since), by bob; "))
            let unpaused = try await stack.capturectl("resume")
            #expect(unpaused.output.contains("not paused; ") && !unpaused.output.contains("since"))
            #expect(try await !stack.capturectl("stats").output.contains("capturectl resume"))
            #expect(try await queue.load().isPaused == false)
            let trail = try await store.auditTrail(of: "queue", limit: 5)
            #expect(trail.map(\.action) == ["queue.resume", "queue.pause"] && trail.allSatisfy { $0.actor == "bob" })
        }
        try await stack.redis.stop()
        // The time to connect is waited out.
        let hasty = stack.environment.merging(["CAPTURE_REDIS_CONNECT_TIMEOUT": "2s"]) { $1 }
        let away = try await LeashedProcess.run(Programs.path("capturectl"), ["dead", "list"], environment: hasty)
        #expect(away.exitCode == 69 && away.output.contains("Redis"))
    }

    @Test func `a pause that has reached some partitions only is finished by the next`() async throws {
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_PARTITIONS": "4"])
        try await stack.redis.cli("SET", "{cq:2}:paused", "1")
        let pause = try await stack.capturectlJSON("pause")
        #expect(pause.exitCode == 0 && pause.object["paused"] as? Bool == true)
        #expect(pause.object["changed"] as? Bool == false)
        for partition in 0..<4 {
            #expect(try await stack.redis.cli("EXISTS", "{cq:\(partition)}:paused") == "1", "\(partition)")
        }
    }
}
