package import CaptureModel

/// Which entries of the audit are asked for; at first all.
package struct AuditFilter: Sendable, Equatable {
    /// How the name of the action begins; empty for any.
    package var action = ""
    /// Actions that are left out.
    package var omitted: [AuditAction] = []
    /// A part of the actor's name, in capitals or not; empty for any.
    package var actor = ""
    /// What it was done to, as the entry names it; empty for anything.
    package var subject = ""
    /// Only noted at this moment or later, by the clock of the program that has noted it.
    package var from: Timestamp?
    /// Only noted before this moment.
    package var before: Timestamp?

    /// Starts with all entries.
    package init() {}

    /// Only what people did.
    package static let deeds: AuditFilter = {
        var filter = AuditFilter()
        filter.omitted = AuditAction.ofPrograms
        return filter
    }()
}
