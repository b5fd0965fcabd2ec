import Glibc

/// Times a piece of work in rounds and takes the median, which one disturbed round does not change.
///
/// It counts the thread's processor time: other work on the machine makes a round longer, but changes no figure.
struct Stopwatch {
    /// Rounds that count; another one before them warms up caches.
    static let rounds = 7

    /// The least processor time of one round.
    let round: Duration

    /// The seconds of one call: the median over the rounds.
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
            // Several calls for each reading of the clock, so that the reading does not count.
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
