extension Double {
    /// A number from 0 up to 1, without it, of 64 random bits.
    package init(randomBits: UInt64) {
        // As many as a significand holds.
        self = Double(randomBits >> 11) / Double(1 << 53)
    }
}
