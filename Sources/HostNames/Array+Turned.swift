extension Array {
    /// The same, beginning with another element, counted round: whoever was tried first in vain is not the next time.
    package func turned(by turn: Int) -> [Element] {
        guard count > 1 else { return self }
        let first = turn % count
        return Array(self[first...] + self[..<first])
    }
}
