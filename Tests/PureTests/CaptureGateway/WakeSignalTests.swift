import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `What wakes the reconciler` {
    @Test func `a signal that comes before the wait ends it at once, and each ends only one`() async throws {
        let signal = WakeSignal()
        signal.send()
        await signal.wait(atMost: .seconds(50))
        let began = ContinuousClock.now
        await signal.wait(atMost: .milliseconds(20))
        #expect(began.duration(to: .now) >= .milliseconds(20))
        async let waited: Void = signal.wait(atMost: .seconds(50))
        signal.send()
        await waited
    }
}
