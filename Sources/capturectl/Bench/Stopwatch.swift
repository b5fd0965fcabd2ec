/// Times a piece of work in rounds and takes the median, which one disturbed round does not move.
struct Stopwatch {
    /// Rounds that count; one more before them warms caches up.
    static let rounds = 7

    /// How long one round lasts at least.
    let round: Duration
    private let clock = ContinuousClock()

    /// The median over the rounds of the seconds that one call takes.
    func secondsPerCall(_ body: (Int) throws -> Void) rethrows -> Double {
        _ = try measure(body)
        var rounds: [Double] = []
        for _ in 0..<Self.rounds { rounds.append(try measure(body)) }
        return rounds.sorted()[rounds.count / 2]
    }

    private func measure(_ body: (Int) throws -> Void) rethrows -> Double {
        let start = clock.now
        var calls = 0
        var elapsed = Duration.zero
        repeat {
            // Several calls per look at the clock, so that looking does not count.
            for _ in 0..<8 {
                try body(calls)
                calls += 1
            }
            elapsed = clock.now - start
        } while elapsed < round
        return elapsed / .seconds(1) / Double(calls)
    }
}
