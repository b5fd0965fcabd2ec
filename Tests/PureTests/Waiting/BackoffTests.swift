import Testing
import Waiting

@Suite("Waiting before the next try")
struct BackoffTests {
    @Test func `the bound doubles up to the cap and stays there`() {
        let backoff = Backoff(base: .milliseconds(50), cap: .seconds(5))
        let bounds = [1, 2, 3, 7, 8, 1_000, Int.max].map { backoff.bound(attempt: $0) }
        #expect(
            bounds == [
                .milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(3_200), .seconds(5),
                .seconds(5), .seconds(5),
            ])
    }

    @Test func `a base above the cap is the cap, and what comes before the first try is the first`() {
        let backoff = Backoff(base: .seconds(2), cap: .seconds(1))
        #expect(backoff.bound(attempt: 1) == .seconds(1))
        #expect(Backoff(base: .seconds(1), cap: .seconds(9)).bound(attempt: 0) == .seconds(1))
    }

    @Test func `the longest times that may be configured do not overflow`() {
        let backoff = Backoff(base: .seconds(3600), cap: .seconds(604_800))
        #expect(backoff.bound(attempt: Int.max) == .seconds(604_800))
        // The smallest base comes to the longest cap as well.
        #expect(Backoff(base: .milliseconds(50), cap: .seconds(604_800)).bound(attempt: 99) == .seconds(604_800))
    }

    @Test(arguments: 1...40)
    func `a wait is anywhere from a tenth of the bound to the bound`(attempt: Int) {
        let backoff = Backoff(base: .milliseconds(500), cap: .seconds(60))
        let bound = min(Duration.seconds(60), .milliseconds(500) * (1 << min(attempt - 1, 20)))
        #expect(backoff.delay(attempt: attempt, chance: 0) == bound * 0.1)
        #expect(backoff.delay(attempt: attempt, chance: 1) == bound)
        // Chance fills the whole range, so that a crowd does not come back at once.
        let waits = (0...10).map { backoff.delay(attempt: attempt, chance: Double($0) / 10) }
        let steps = zip(waits, waits.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { $0 > bound * 0.08 && $0 < bound * 0.1 })
    }

    private static let chances: [(Backoff.Jitter, Double, Duration)] = [
        (.full, 0, .zero), (.full, 0.5, .milliseconds(200)), (.full, 1, .milliseconds(400)),
        (.aboveTenth, 0, .milliseconds(40)), (.aboveTenth, 1, .milliseconds(400)),
    ]

    @Test(arguments: chances)
    func `with full jitter a wait is anywhere from zero to the bound, else from a tenth of it, as chance has it`(
        jitter: Backoff.Jitter, chance: Double, wait: Duration
    ) {
        let backoff = Backoff(base: .milliseconds(100), cap: .seconds(5), jitter: jitter)
        #expect(backoff.delay(attempt: 3, chance: chance) == wait)
    }

    @Test func `a pause ends before its deadline or is not begun, and a cancelled one says so`() async {
        let backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        #expect(await backoff.pause(attempt: 1, chance: 1, before: .now + .seconds(60)))
        #expect(await !backoff.pause(attempt: 1, chance: 1, before: .now))
        let long = Backoff(base: .seconds(60), cap: .seconds(60))
        #expect(await !long.pause(attempt: 1, chance: 1, before: .now + .seconds(1)))
        let cancelled = Task { await long.pause(attempt: 1, chance: 1, before: .now + .seconds(600)) }
        cancelled.cancel()
        #expect(await !cancelled.value)
    }
}
