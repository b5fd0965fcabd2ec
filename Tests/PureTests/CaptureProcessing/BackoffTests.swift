import CaptureProcessing
import DeviceSimulator
import Testing

@Suite("Waiting before the next try")
struct BackoffTests {
    @Test func `the bound doubles up to the cap`() {
        let backoff = Backoff(base: .milliseconds(100), cap: .seconds(5))
        #expect(backoff.bound(attempt: 1) == .milliseconds(100))
        #expect(backoff.bound(attempt: 4) == .milliseconds(800))
        #expect(backoff.bound(attempt: 1000) == .seconds(5))
    }

    @Test(arguments: 1...40)
    func `a wait is anywhere from a tenth of the bound to the bound`(attempt: Int) {
        var generator = SeededGenerator(seed: UInt64(attempt))
        let backoff = Backoff(base: .milliseconds(500), cap: .seconds(60))
        let bound = min(Duration.seconds(60), .milliseconds(500) * (1 << min(attempt - 1, 20)))
        let waits = (0..<500).map { _ in backoff.delay(attempt: attempt, using: &generator) }
        #expect(waits.allSatisfy { $0 >= bound * 0.1 && $0 <= bound })
        // They fill the whole range, so that a crowd does not come back at once.
        #expect((waits.min() ?? bound) < bound * 0.15 && (waits.max() ?? .zero) > bound * 0.95)
    }
}
