import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `What wakes the reconciler` {
    /// Longer than the suite may take: nobody waits it out.
    private static let long = Duration.seconds(3_600)

    @Test func `a signal that comes before the wait ends it at once, and each ends only one`() async {
        let signal = WakeSignal()
        signal.send()
        await signal.wait(atMost: Self.long)
        let began = ContinuousClock.now
        await signal.wait(atMost: .milliseconds(20))
        #expect(began.duration(to: .now) >= .milliseconds(20))
    }

    @Test func `a signal wakes whoever waits`() async throws {
        let signal = WakeSignal()
        async let waited: Void = signal.wait(atMost: Self.long)
        try await eventually { signal.isAwaited }
        signal.send()
        await waited
        #expect(!signal.isAwaited)
    }
}
