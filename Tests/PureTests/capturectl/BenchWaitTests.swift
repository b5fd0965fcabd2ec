import CaptureQueue
import Testing

@testable import capturectl

@Suite("What a benchmark waits for", .timeLimit(.minutes(1)))
struct BenchWaitTests {
    @Test func `a benchmark ends that gets no subscription to its results`() async throws {
        let (early, continuation) = AsyncStream.makeStream(of: StateChange.self)
        await #expect(throws: BenchFailed.self) { try await LatencyBench.untilHeard(early, within: .zero) }
        continuation.finish()
    }

    @Test func `a benchmark goes on once it has its subscription`() async throws {
        let (early, continuation) = AsyncStream.makeStream(of: StateChange.self)
        continuation.finish()
        try await LatencyBench.untilHeard(early)
    }

    @Test func `a benchmark ends whose Redis rewrites its log without an end`() async throws {
        await #expect(throws: BenchFailed.self) { try await BenchStage.untilRewritten(within: .zero) { true } }
        try await BenchStage.untilRewritten { false }
    }
}
