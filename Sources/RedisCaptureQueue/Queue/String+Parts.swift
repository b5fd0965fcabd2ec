extension String {
    /// What stands between each two of a byte in a text that the functions wrote; what is empty counts.
    ///
    /// Divided at bytes, as the functions put it together: to go through a text by its
    /// characters costs many times that.
    func parts(at separator: Unicode.Scalar) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
