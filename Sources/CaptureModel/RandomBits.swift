/// Where random bits come from: the executables pass the system's, tests their own.
package enum RandomBits {
    /// 64 bits at a time of the system's generator, which is cryptographically secure.
    package static let system: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
}

extension RandomNumberGenerator {
    /// Makes `count` random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}

extension Double {
    /// A number in 0..<1 made from 64 random bits.
    package init(randomBits: UInt64) {
        // 53 bits are as many as a significand holds.
        self = Double(randomBits >> 11) / Double(1 << 53)
    }
}
