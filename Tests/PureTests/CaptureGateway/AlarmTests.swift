import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `What wakes the reconciler` {
    @Test func `an alarm that rings before the wait ends it at once, and each ring only one`() async throws {
        let alarm = Alarm()
        alarm.ring()
        await alarm.wait(atMost: .seconds(50))
        let began = ContinuousClock.now
        await alarm.wait(atMost: .milliseconds(20))
        #expect(began.duration(to: .now) >= .milliseconds(20))
        async let waited: Void = alarm.wait(atMost: .seconds(50))
        alarm.ring()
        await waited
    }
}
