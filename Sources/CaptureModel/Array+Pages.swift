extension Array {
    /// The elements in order, in pages of `size` elements; the last page may have fewer.
    package func pages(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
