extension UInt8 {
    /// Whether this ASCII character is a decimal digit; a copy, because this module depends on no other for it.
    var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
