extension String {
    /// The parts of a text between separators, empty ones included.
    ///
    /// It is split at bytes, as the functions join it: going through the characters costs many times that.
    func parts(at separator: Unicode.Scalar) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
