import Testing
import TestSupport
import Waiting

@Suite("A wait on the timer of an event loop", .timeLimit(.minutes(1)))
struct EventLoopTimerTests {
    /// Longer than the suite may take: nobody waits it out.
    private static let long = Duration.seconds(3_600)

    private final class Held: Sendable {}

    @Test func `a wait on the timer of an event loop lasts for its time`() async {
        let end = ContinuousClock.now + .milliseconds(20)
        await EventLoopTimer.wait(until: end)
        #expect(ContinuousClock.now >= end)
    }

    @Test func `a wait on the timer of an event loop is none where the time is over`() async {
        await EventLoopTimer.wait(for: .zero)
        await EventLoopTimer.wait(until: .now - Self.long)
    }

    @Test(arguments: [false, true])
    func `a wait on the timer of an event loop ends when its task is cancelled, wherever that runs`(isOnLoop: Bool)
        async
    {
        let executor: EventLoopExecutor? = isOnLoop ? .shared : nil
        await withTaskExecutorPreference(executor) {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { await EventLoopTimer.wait(for: Self.long) } }
                // Some have begun to wait by then, and some have not.
                group.cancelAll()
            }
        }
    }

    @Test func `a timer of an event loop runs its body when its time is over`() async {
        let end = ContinuousClock.now + .milliseconds(20)
        await withCheckedContinuation { waiter in
            _ = EventLoopTimer(after: .milliseconds(20)) { waiter.resume() }
        }
        #expect(ContinuousClock.now >= end)
    }

    @Test func `a timer of an event loop that is stopped leaves nothing behind`() async throws {
        weak var left: Held?
        do {
            let held = Held()
            left = held
            EventLoopTimer(after: Self.long) { withExtendedLifetime(held) {} }.stop()
        }
        try await eventually { left == nil }
    }
}
