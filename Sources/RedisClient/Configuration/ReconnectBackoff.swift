/// The delays between attempts to connect: exponential with full jitter.
///
/// Full jitter draws each delay evenly from zero to the exponential ceiling, which spreads the clients of a restarted
/// server best.
public struct ReconnectBackoff: Sendable, Hashable {
    /// Ceiling of the first delay.
    public var base: Duration
    /// Highest ceiling.
    public var cap: Duration
    /// Where the sequence of random numbers starts.
    ///
    /// Default: Swift's hash seed, as all it takes is that processes differ.
    public var jitterSeed: UInt64

    /// Sets the ceilings.
    ///
    /// The default cap bounds how long a server may be back before it is noticed, however long it was away.
    public init(
        base: Duration = .milliseconds(50), cap: Duration = .milliseconds(500),
        jitterSeed: UInt64 = UInt64(bitPattern: Int64(Hasher().finalize()))
    ) {
        self.base = base
        self.cap = cap
        self.jitterSeed = jitterSeed
    }

    /// The ceiling of the delay after a number of failed attempts in a row, the first being 1.
    public func ceiling(afterFailures failures: Int) -> Duration {
        let doublings = min(max(failures - 1, 0), 30)
        return min(cap, base * (1 << doublings))
    }

    /// A delay drawn evenly from zero to the ceiling.
    func delay(afterFailures failures: Int, using jitter: inout JitterSequence) -> Duration {
        ceiling(afterFailures: failures) * Double.random(in: 0...1, using: &jitter)
    }
}

/// A small seeded generator (SplitMix64): enough to keep clients from knocking in step, and repeatable in tests.
struct JitterSequence: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
