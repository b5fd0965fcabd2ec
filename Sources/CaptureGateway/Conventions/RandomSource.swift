import CaptureModel

/// A generator over a source of 64-bit words.
struct RandomSource: RandomNumberGenerator {
    let random: @Sendable () -> UInt64

    mutating func next() -> UInt64 { random() }

    /// Random hexadecimal digits, 16 for each word.
    func hex(words: Int) -> String {
        let bytes = (0..<words).flatMap { _ -> [UInt8] in
            let word = random()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
        return Hex.encode(bytes)
    }
}
