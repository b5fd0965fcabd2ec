extension Int {
    /// The sum, clamped to `Int`: a corrupt number from a server crashes no program.
    package func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
