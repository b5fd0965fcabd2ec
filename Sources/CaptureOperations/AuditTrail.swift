package import CaptureStore

/// The latest of what was done to something, and whether that is all.
package struct AuditTrail: Sendable {
    /// How many of it are shown; the audit has the rest.
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
