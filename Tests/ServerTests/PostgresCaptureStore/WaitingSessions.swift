import PostgresClient
import TestSupport
import Testing

extension PostgresClient {
    private static let waiting = PostgresStatement(
        "test_waiting",
        """
        SELECT count(*) AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """)

    /// How many sessions of this database wait for a lock.
    func waitingSessions() async throws(PostgresError) -> Int64? {
        try await execute(Self.waiting).first?.int8("waiting")
    }

    /// Waits until so many sessions wait for a lock; the server tells nobody when one begins to.
    func eventuallyWait(_ count: Int64, sourceLocation: SourceLocation = #_sourceLocation) async {
        do {
            try await eventually(fileID: sourceLocation.fileID, line: sourceLocation.line) {
                try await waitingSessions() == count
            }
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }
}
