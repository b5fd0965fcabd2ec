import CaptureModel
import CaptureQueue
import FaultPoints
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("How long recovery takes", .timeLimit(.minutes(20)))
struct RecoveryTimeTests {
    @Test func `what a killed worker had in its hands is settled by others within ten seconds`() async throws {
        try await expectInTime { try await recovery() }
    }

    /// Waits for a worker's end, and watches the machine from then on.
    private func end(
        of victim: LeashedProcess, besides heirs: [LeashedProcess]
    ) async throws -> (code: Int32, time: Timestamp, machine: MachineWatch) {
        let code = try await victim.exitCode()
        return (code, Timestamp(Date()), MachineWatch(besides: heirs))
    }

    /// Kills a worker in the middle of its work, and counts how many of the captures that it held were settled late.
    private func recovery() async throws -> TimedRound {
        let stack = try await Stack.start()
        // In the middle of everybody else's work, too.
        let victim = try stack.worker([ArmedFaults.Variable.point: "\(FaultPoint.afterVerify.rawValue):2"])
        try await victim.line(containing: "worker is ready")
        let heirs = [try stack.worker(), try stack.worker()]
        for heir in heirs { try await heir.line(containing: "worker is ready") }
        return try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(40, in: store)
            let capture = try Crowd.smallCapture()
            async let death = end(of: victim, besides: heirs)
            var accepted = try await crowd.enqueue(rounds: 10, sharing: capture, queue: queue, bundles: bundles)
            // The heirs may have taken all of it before the victim had a second batch: then there is more.
            while victim.figures() != nil {
                let more = try await crowd.enqueue(rounds: 1, sharing: capture, queue: queue, bundles: bundles)
                accepted.merge(more) { first, _ in first }
            }
            let (code, died, machine) = try await death
            #expect(code == 128 + SIGKILL)
            try await drain(queue)
            let wasHeldUp = machine.wasHeldUp
            // The captures that the victim had in its hands were delivered again.
            let held = try await stack.psql("SELECT count(*) FROM captures WHERE attempts > 1")
            #expect(held != "0")
            // Where others keep the machine busy, also what it takes for one more capture of each device, a few times.
            let drained = ContinuousClock.now
            _ = try await crowd.enqueue(rounds: 1, sharing: capture, queue: queue, bundles: bundles)
            try await drain(queue)
            let limit = Duration.seconds(10) + (wasHeldUp ? drained.duration(to: .now) * 4 : .zero)
            let late =
                "attempts > 1 AND settled_at > timestamptz '\(died.rfc3339)' + interval '\(limit / .seconds(1)) s'"
            let count = try await stack.psql("SELECT count(*) FROM captures WHERE \(late)")
            let results = try await store.results(of: Array(accepted.keys))
            #expect(results.values.count { $0.verdict == .verified } == accepted.count)
            for heir in heirs { heir.signal(SIGTERM) }
            for heir in heirs { #expect(try await heir.exitCode() == 0) }
            let words = "\(count) captures were settled after more than \(limit)"
            return TimedRound(late: count == "0" ? nil : words, wasHeldUp: wasHeldUp)
        }
    }
}
