import CaptureModel
import CaptureQueue
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("How long recovery takes", .timeLimit(.minutes(5)))
struct RecoveryTimeTests {
    /// What the README promises with the default lease.
    private static let promise = Duration.seconds(10)

    @Test func `what a killed worker had in its hands is settled by others within ten seconds`() async throws {
        let stack = try await Stack.start()
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(60, in: store)
            let capture = try Crowd.smallCapture()
            let accepted = try await crowd.enqueue(rounds: 10, sharing: capture, queue: queue, bundles: bundles)
            let victim = try stack.worker()
            try await victim.line(containing: "worker is ready")
            // In the middle of its work, with as much as it may claim.
            try await eventually { try await queue.load().leasedLanes > 0 }
            try await victim.kill()
            let died = ContinuousClock.now
            let inHand = try await queue.status(of: Array(accepted.keys)).compactMap { $0 }
                .filter { $0.state == .processing }.map(\.id)
            #expect(!inHand.isEmpty)
            let heirs = [try stack.worker(), try stack.worker()]
            try await eventually {
                try await queue.status(of: inHand).allSatisfy { $0?.state.isTerminal ?? true }
            }
            let took = died.duration(to: .now)
            print("recovery: \(inHand.count) captures of a killed worker were settled by others in \(took)")
            #expect(took < Self.promise)
            try await drain(queue)
            let results = try await store.results(of: Array(accepted.keys))
            #expect(results.values.count { $0.verdict == .verified } == accepted.count)
            for heir in heirs { heir.signal(SIGTERM) }
            for heir in heirs { #expect(try await heir.exitCode() == 0) }
        }
    }
}
