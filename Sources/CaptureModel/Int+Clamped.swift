extension Int {
    /// The sum, or the limit that it would pass: a number of a server's that is damage takes nobody down.
    package func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
