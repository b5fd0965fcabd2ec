import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("Which dead letters a command means", .timeLimit(.minutes(5)))
struct DeadSelectionTests {
    /// A stack with two dead letters of two devices.
    private func buried() async throws -> (stack: Stack, ids: [CaptureID]) {
        let stack = try await Stack.start()
        let ids = try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(2, in: store)
            _ = try await crowd.enqueue(rounds: 1, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
            return try await queue.bury(fault: "connection refused")
        }
        try #require(ids.count == 2)
        return (stack, ids)
    }

    /// A script whose variable is not set passes an empty text, which every fault contains.
    @Test(arguments: ["", " "], ["discard", "redrive", "list"])
    func `an empty fault is bad usage, and not all of them`(fault: String, verb: String) async throws {
        let all = verb == "list" ? [] : ["--all", "--yes"]
        let run = try await LeashedProcess.run(
            Programs.path("capturectl"), ["dead", verb, "--fault", fault] + all)
        #expect(run.exitCode == 64 && run.output.contains("--fault takes a text"), "\(run.output)")
    }

    @Test(arguments: ["list", "redrive", "discard"])
    func `a reason that no dead letter has is bad usage`(verb: String) async throws {
        let all = verb == "list" ? [] : ["--all", "--yes"]
        let run = try await LeashedProcess.run(
            Programs.path("capturectl"), ["dead", verb, "--reason", "COUNTER_REPLAY"] + all)
        #expect(run.exitCode == 64 && run.output.contains("given up for COUNTER_REPLAY"), "\(run.output)")
    }

    @Test func `behind the last dead letter there are no more`() async throws {
        let (stack, _) = try await buried()
        let (_, first) = try await stack.capturectlJSON("dead", "list", "--limit", "1")
        let next = try #require(first["next"] as? String)
        let (_, second) = try await stack.capturectlJSON("dead", "list", "--after", next)
        let last = try #require((second["dead_letters"] as? [[String: Any]])?.last)
        let (id, diedAt) = (try #require(last["capture_id"] as? String), try #require(last["died_at"] as? String))
        let moment = try #require(Timestamp(rfc3339: diedAt))
        let place = DeadLetter.Position(diedAt: moment, capture: try #require(CaptureID(id)))
        let end = try await stack.capturectl("dead", "list", "--after", "\(place)")
        #expect(end.exitCode == 0 && end.output.contains("no more dead letters"), "\(end.output)")
    }

    @Test func `a reason is one in either case, and a dry run says how many it selects`() async throws {
        let (stack, _) = try await buried()
        for reason in ["attempts_exhausted", "ATTEMPTS_EXHAUSTED"] {
            let (code, list) = try await stack.capturectlJSON("dead", "list", "--reason", reason)
            #expect(code == 0 && (list["dead_letters"] as? [Any])?.count == 2, "\(reason): \(list)")
        }
        let none = try await stack.capturectlJSON("dead", "list", "--reason", "internal")
        #expect(none.exitCode == 0 && (none.object["dead_letters"] as? [Any])?.isEmpty == true)
        for verb in ["redrive", "discard"] {
            let (code, dry) = try await stack.capturectlJSON("dead", verb, "--all", "--dry-run")
            #expect(code == 0 && dry["selected"] as? Int == 2 && dry["done"] as? Int == 0, "\(dry)")
            #expect(dry["selected_bytes"] as? Int ?? 0 > 0, "\(dry)")
        }
        let nothing = try await stack.capturectlJSON("dead", "redrive", "--all", "--fault", "odd", "--dry-run")
        #expect(nothing.object["selected"] as? Int == 0 && nothing.object["selected_bytes"] as? Int == 0)
    }

    @Test func `an option that is repeated means any of its values, and with others what they mean too`() async throws {
        let (stack, ids) = try await buried()
        let devices = try await stack.withBackstage { queue, _, _ in
            try await queue.status(of: ids).compactMap { $0.map { "\($0.device)" } }
        }
        try #require(Set(devices).count == 2)
        let other = "5a0f7c1e-2a86-4c1b-9d24-6f1f3f0f7a10"
        for (words, count) in [
            (["--device", devices[0], "--device", devices[1]], 2), (["--device", devices[1], "--device", other], 1),
            (["--reason", "ATTEMPTS_EXHAUSTED", "--reason", "INTERNAL"], 2),
            (["--fault", "REFUSED", "--fault", "odd"], 2), (["--device", devices[0], "--reason", "INTERNAL"], 0),
        ] {
            let run = try await stack.capturectl(["dead", "redrive", "--all", "--dry-run", "--json"] + words)
            #expect(run.exitCode == 0 && run.output.contains("\"selected\":\(count),"), "\(words): \(run.output)")
        }
        let bad = try await LeashedProcess.run(
            Programs.path("capturectl"), ["dead", "list", "--device", "x", "--device", other])
        let refusal = "The value 'x' is invalid for '--device <device>': not a device's id"
        #expect(bad.exitCode == 64 && bad.output.contains(refusal), "\(bad.output)")
    }

    /// The Redis of a mistaken setting is somebody else's.
    @Test func `whoever only looks loads no functions`() async throws {
        let (stack, ids) = try await buried()
        try await stack.redis.cli("FUNCTION", "FLUSH")
        for command in [["dead", "list"], ["dead", "list", "--group"], ["dead", "show", "\(ids[0])"]] {
            let run = try await stack.capturectl(command)
            #expect(run.exitCode == 70 && run.output.contains("functions of this release"), "\(run.output)")
        }
        for command in [["captures", "list"], ["captures", "show", "\(ids[0])"]] {
            let run = try await stack.capturectl(command)
            #expect(run.exitCode == 0, "\(command): \(run.output)")
        }
        #expect(try await stack.redis.cli("FUNCTION", "LIST").isEmpty)
    }
}
