package import CaptureModel

/// Entries of the audit that pass a filter, as far as was looked for them.
package struct AuditLogPage: Sendable, Equatable {
    /// The place and time of an entry.
    package struct Place: Sendable, Equatable {
        /// The entry's place in the audit.
        package let number: Int64
        /// When it was noted.
        package let at: Timestamp

        /// Memberwise.
        package init(number: Int64, at: Timestamp) {
            self.number = number
            self.at = at
        }
    }

    /// How many entries are looked at for one page: no index serves actions, names and times.
    package static let looksMax = 50_000

    /// The entries, latest first.
    package let entries: [NumberedAuditEntry]
    /// The last entry that was looked at, if the look ended there with fewer entries than were asked for.
    package let end: Place?

    /// Memberwise.
    package init(entries: [NumberedAuditEntry], end: Place?) {
        self.entries = entries
        self.end = end
    }
}
