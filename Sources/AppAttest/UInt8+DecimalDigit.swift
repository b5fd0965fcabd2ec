extension UInt8 {
    /// Whether this ASCII character is a decimal digit: this module stands on its own, and so has one of its own.
    var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
