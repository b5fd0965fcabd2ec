/// Exponential backoff: a random wait below a bound, which doubles with every try up to a cap.
///
/// ```swift
/// let backoff = Backoff(base: .milliseconds(50), cap: .milliseconds(500), jitter: .full)
/// let wait = backoff.delay(attempt: failures, chance: .random(in: 0...1))
/// ```
/// It keeps no state and draws nothing: the caller passes the number of the try, and a random number.
package struct Backoff: Sendable, Hashable {
    /// The bound of the first wait.
    package var base: Duration
    /// The highest bound.
    package var cap: Duration
    /// The range of a wait below its bound.
    package var jitter: Jitter

    /// How random a wait is, so that clients that were refused together do not all return together.
    package enum Jitter: Sendable, Hashable {
        /// From zero to the bound: spreads a crowd best.
        case full
        /// From a tenth of the bound to the bound: never spins.
        case aboveTenth

        /// The shortest wait as a share of the bound.
        var least: Double {
            switch self {
            case .full: 0
            case .aboveTenth: 0.1
            }
        }
    }

    /// Memberwise; by default a wait is at least a tenth of its bound.
    package init(base: Duration, cap: Duration, jitter: Jitter = .aboveTenth) {
        self.base = base
        self.cap = cap
        self.jitter = jitter
    }

    /// The longest wait before a try, counted from 1.
    package func bound(attempt: Int) -> Duration {
        // 2^24 times the smallest base that the settings allow exceeds their largest cap; the limit keeps the shift in
        // range.
        min(cap, base * (1 << min(max(attempt - 1, 0), 24)))
    }

    /// The wait before a try, counted from 1.
    /// - Parameter chance: A random number from 0 to 1: the place of the wait in its range.
    package func delay(attempt: Int, chance: Double) -> Duration {
        bound(attempt: attempt) * (jitter.least + (1 - jitter.least) * chance)
    }

    /// Waits before a try, counted from 1; `false` when the wait would last until the deadline or the task is cancelled.
    /// - Parameter chance: A random number from 0 to 1: the place of the wait in its range.
    package func pause(attempt: Int, chance: Double, before deadline: ContinuousClock.Instant) async -> Bool {
        let wait = delay(attempt: attempt, chance: chance)
        guard .now + wait < deadline else { return false }
        do { try await Task.sleep(for: wait) } catch { return false }
        return true
    }
}
