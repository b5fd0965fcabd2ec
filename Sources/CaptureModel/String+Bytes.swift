extension String {
    /// Whether another text has the same bytes; `false` when there is none.
    ///
    /// For texts that anybody may have written: to compare combining marks as text takes the square of their length.
    package func hasBytes(of other: String?) -> Bool { other.map { utf8.elementsEqual($0.utf8) } ?? false }
}
