/// A generator over a source of 64-bit words.
struct RandomSource: RandomNumberGenerator {
    let random: @Sendable () -> UInt64

    mutating func next() -> UInt64 { random() }
}
