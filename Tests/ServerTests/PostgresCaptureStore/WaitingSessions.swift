import PostgresClient

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
}
