extension Double {
    /// A number in 0..<1 made from 64 random bits.
    package init(randomBits: UInt64) {
        // 53 bits are as many as a significand holds.
        self = Double(randomBits >> 11) / Double(1 << 53)
    }
}
