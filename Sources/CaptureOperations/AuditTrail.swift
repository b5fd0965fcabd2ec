package import CaptureStore

/// The latest audit entries about a subject, and whether there are earlier ones.
package struct AuditTrail: Sendable {
    /// How many entries are shown; the audit has the rest.
    package static let entriesMax = 50

    /// Latest first.
    package let entries: [AuditEntry]
    /// Whether there are earlier ones.
    package let isCut: Bool

    /// Reads what was done to a subject: a device's or a capture's id.
    package init(of subject: String, in store: any CaptureStore) async throws(StoreError) {
        let found = try await store.auditTrail(of: subject, limit: Self.entriesMax + 1)
        entries = Array(found.prefix(Self.entriesMax))
        isCut = found.count > Self.entriesMax
    }
}

extension [AuditEntry] {
    /// The latest of these actions that really happened, `nil` if none did; the trail has the latest entry first.
    ///
    /// Each `missed` entry cancels the next older entry of its action.
    package func lastDone(of actions: Set<AuditAction>) -> AuditEntry? {
        var missed: [AuditAction: Int] = [:]
        for entry in self {
            if let action = actions.first(where: { $0.missed == entry.action }) {
                missed[action, default: 0] += 1
            } else if let action = AuditAction(rawValue: entry.action), actions.contains(action) {
                guard let count = missed[action], count > 0 else { return entry }
                missed[action] = count - 1
            }
        }
        return nil
    }
}
