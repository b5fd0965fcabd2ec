extension String {
    /// The parts of a text between separators, empty ones included.
    ///
    /// It is split at bytes, as the functions join it: going through the characters costs many times that.
    func parts(at separator: Unicode.Scalar) -> [Substring] {
        let byte = UInt8(ascii: separator)
        var text = self
        // By the text's own indexes the search alone takes longer than all this.
        let ends = text.withUTF8 { bytes in bytes.indices.filter { bytes[$0] == byte } }
        var parts: [Substring] = []
        parts.reserveCapacity(ends.count + 1)
        var start = utf8.startIndex
        for end in ends.map({ utf8.index(utf8.startIndex, offsetBy: $0) }) {
            parts.append(self[start..<end])
            start = utf8.index(after: end)
        }
        parts.append(self[start...])
        return parts
    }
}
