/// Exponential backoff: a random time from a tenth of a bound to the bound, which doubles with every try.
public struct Backoff: Sendable, Equatable {
    /// The bound of the first wait.
    public var base: Duration
    /// The highest bound.
    public var cap: Duration

    /// Puts the two together.
    public init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// The longest wait before a try, counted from 1.
    public func bound(attempt: Int) -> Duration {
        // 2^20 times the base is beyond any cap; it also keeps the shift in range.
        min(cap, base * (1 << min(max(attempt - 1, 0), 20)))
    }

    /// A random wait before a try: from a tenth of the bound, so that it never spins, to the bound.
    public func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let bound = bound(attempt: attempt)
        return bound * Double.random(in: 0.1...1, using: &generator)
    }
}
