extension String {
    /// The words of a text that the functions wrote, with a space between each two; empty ones count.
    ///
    /// Divided at bytes, as the functions put it together: to go through a text by its characters costs many times that.
    var words: [Substring] {
        utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
