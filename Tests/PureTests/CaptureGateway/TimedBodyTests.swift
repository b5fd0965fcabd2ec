import Testing

@testable import CaptureGateway

@Suite("How long a body may take")
struct TimedBodyTests {
    private let start = ContinuousClock.now

    private func end(room: Int?, isWanted: Bool = true, last: Duration, bytes: Int) -> Duration {
        let body = TimedBody(
            idleTimeout: .seconds(20), timeout: .seconds(120), room: room.map { .init(bytes: $0) { isWanted } })
        return start.duration(to: body.end(start: start, last: start + last, bytes: bytes))
    }

    @Test func `a body may pause for a time, and take a time as a whole`() {
        #expect(end(room: nil, last: .seconds(50), bytes: 1) == .seconds(70))
        #expect(end(room: nil, last: .seconds(119), bytes: 1) == .seconds(120))
    }

    @Test func `room that nobody wants is kept for a slow sender to the end`() {
        #expect(end(room: 15_000_000, isWanted: false, last: .seconds(50), bytes: 2) == .seconds(70))
    }

    @Test func `room that others want is kept for what comes at a pace that brings it in time`() {
        // A byte now and then holds the room no longer than a pause.
        #expect(end(room: 15_000_000, last: .seconds(19), bytes: 2) < .milliseconds(20_001))
        #expect(end(room: 100, last: .seconds(45), bytes: 30) == .seconds(56))
        // Whoever is in time at a steady pace is never cut off.
        for second in 1..<120 {
            let steady = end(room: 120, last: .seconds(second - 1), bytes: second - 1)
            #expect(steady >= .seconds(second))
        }
    }
}
