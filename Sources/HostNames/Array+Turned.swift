extension Array {
    /// The array rotated to begin with another element, so that what failed first is not tried first the next time.
    package func turned(by turn: Int) -> [Element] {
        guard count > 1 else { return self }
        let first = turn % count
        return Array(self[first...] + self[..<first])
    }
}
