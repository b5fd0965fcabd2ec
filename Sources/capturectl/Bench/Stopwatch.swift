#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Times a piece of work in rounds and takes the median, which one disturbed round does not move.
///
/// It counts the processor time of the thread: what else runs on the machine costs a round time, but no figure.
struct Stopwatch {
    /// Rounds that count; one more before them warms caches up.
    static let rounds = 7

    /// How much processor time one round takes at least.
    let round: Duration

    /// The median over the rounds of the seconds that one call takes.
    func secondsPerCall(_ body: (Int) throws -> Void) rethrows -> Double {
        _ = try measure(body)
        var rounds: [Double] = []
        for _ in 0..<Self.rounds { rounds.append(try measure(body)) }
        return rounds.sorted()[rounds.count / 2]
    }

    private func measure(_ body: (Int) throws -> Void) rethrows -> Double {
        let start = Self.threadTime()
        var calls = 0
        var elapsed = Duration.zero
        repeat {
            // Several calls per look at the clock, so that looking does not count.
            for _ in 0..<8 {
                try body(calls)
                calls += 1
            }
            elapsed = Self.threadTime() - start
        } while elapsed < round
        return elapsed / .seconds(1) / Double(calls)
    }

    private static func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
