import CaptureModel
import CaptureStore
import PostgresClient
import Testing

@testable import PostgresCaptureStore

@Suite("Places in the audit", .timeLimit(.minutes(2)))
struct AuditPlacesTests {
    /// As a record of before may have them, when no constraint was there; noted at `moment(2_000)`.
    private static let farthest = """
        ALTER TABLE audit DROP CONSTRAINT audit_places, DISABLE TRIGGER audit_id_given;
        INSERT INTO audit (id, at, actor, action, subject) OVERRIDING SYSTEM VALUE
        SELECT id, to_timestamp(1790002000), 'mallory', 'queue.pause', 'queue'
        FROM unnest(ARRAY[9223372036854775807, 9223372036854775806, -9223372036854775808]) AS id
        """

    /// Its entries cannot be deleted: whatever one of them is, the others are still found.
    @Test func `an entry at the end of all numbers keeps nobody from finding others by their time`() async throws {
        try await withPostgresStore { store, client async throws in
            let entry = AuditEntry(at: moment(1_000), actor: "alice", action: .queueResume, subject: "queue")
            try await store.recordAudit(entry)
            try await client.executeScript(Self.farthest)
            var filter = AuditFilter()
            filter.actor = "alice"
            (filter.from, filter.before) = (moment(900), moment(1_100))
            let found = try await store.auditLog(filter, before: nil, limit: 10)
            #expect(found.entries.map(\.entry) == [entry])
            filter.from = moment(1_001)
            #expect(try await store.auditLog(filter, before: nil, limit: 10).entries.isEmpty)
        }
    }
}
