/// A line of the audit with its place.
package struct NumberedAuditEntry: Sendable, Equatable {
    /// Its place in the audit: higher is later.
    package let number: Int64
    /// Who did what.
    package let entry: AuditEntry

    /// Memberwise.
    package init(number: Int64, entry: AuditEntry) {
        self.number = number
        self.entry = entry
    }
}
