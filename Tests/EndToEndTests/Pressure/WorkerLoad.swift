import Foundation
import TestSupport
import Testing

/// What a worker costs from the beginning of an outage on.
struct WorkerLoad {
    let worker: LeashedProcess
    /// How long it holds what it has verified and cannot settle.
    let hold: Duration
    /// What it had cost until then.
    let processor: Duration
    let began = ContinuousClock.now

    /// A loop without a wait takes all that it can get of a processor, on a busy machine half of one.
    ///
    /// Under ThreadSanitizer everything costs several times as much.
    private static let share = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil ? 4 : 1.5

    /// The longest pause between two calls of a worker whose server is away, as `WorkerConfiguration.outageBackoff` has
    /// it.
    private static let pauseMax = Duration.milliseconds(500)

    /// Whether the worker slept but for what the tries cost that its hold allows.
    /// - Parameter work: What it costs to verify all its captures once.
    func isSlight(besides work: Duration) throws -> Bool {
        let used = try #require(worker.processorTime) - processor
        let took = began.duration(to: .now)
        #expect(took >= .seconds(2))
        // A try lasts as long as the hold, of which only the last pause may be left out; one was under way when the
        // outage began.
        let tries = 2 + Int(took / (hold - Self.pauseMax))
        let limit = took / Self.share + work * tries
        print("worker used \(used) of \(limit) in \(took): \(work) for each of \(tries) tries at the most")
        return used < limit
    }
}
