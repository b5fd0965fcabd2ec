/// Pseudorandom numbers from a seed, so that a simulated run can be repeated.
///
/// SplitMix64 (Steele, Lea and Flood 2014): fast, well mixed from any seed, and predictable.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence of a seed.
    package init(seed: UInt64) {
        self.state = seed
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Makes another generator for one purpose, so that a change in one place does not shift all later numbers.
    package func derived(_ purpose: UInt64) -> SeededGenerator {
        var child = SeededGenerator(seed: state ^ (purpose &* 0xD6E8_FEB8_6659_FD93))
        return SeededGenerator(seed: child.next())
    }
}

extension RandomNumberGenerator {
    /// A number from 0 up to, but not including, 1, in steps of 2⁻²⁴.
    mutating func unit() -> Float {
        Float(next() >> 40) / Float(1 << 24)
    }

    /// A number between two others.
    mutating func between(_ low: Float, _ high: Float) -> Float {
        low + (high - low) * unit()
    }
}
