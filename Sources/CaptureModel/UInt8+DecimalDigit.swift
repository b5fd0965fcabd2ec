extension UInt8 {
    /// Whether this ASCII character is a decimal digit: our numbers have no signs, spaces or other scripts.
    package var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
