import Testing

@testable import CaptureGateway

@Suite("How long a body may take")
struct TimedBodyTests {
    private let start = ContinuousClock.now

    private func end(announced: Int?, last: Duration, bytes: Int) -> Duration {
        let body = TimedBody(idleTimeout: .seconds(20), timeout: .seconds(120), announced: announced)
        return start.duration(to: body.end(start: start, last: start + last, bytes: bytes))
    }

    @Test func `a pause, and the whole`() {
        #expect(end(announced: nil, last: .seconds(50), bytes: 1) == .seconds(70))
        #expect(end(announced: nil, last: .seconds(119), bytes: 1) == .seconds(120))
    }

    @Test func `what room is kept for comes at a pace that brings it in time`() {
        // A byte now and then holds the room no longer than a pause.
        #expect(end(announced: 15_000_000, last: .seconds(19), bytes: 2) < .milliseconds(20_001))
        #expect(end(announced: 100, last: .seconds(45), bytes: 30) == .seconds(56))
        // Whoever is in time at a steady pace is never cut off.
        for second in 1..<120 {
            let steady = end(announced: 120, last: .seconds(second - 1), bytes: second - 1)
            #expect(steady >= .seconds(second))
        }
    }
}
