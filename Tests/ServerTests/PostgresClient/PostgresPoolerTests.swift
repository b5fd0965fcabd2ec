import CaptureStore
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite("A pooler in front of PostgreSQL", .timeLimit(.minutes(5)))
struct PostgresPoolerTests {
    private static let look = PostgresStatement("test_look", "SELECT 1 AS one")

    @Test(arguments: ["08000", "08003", "08006", "08P01", "40003"])
    func `what it says when its own connection broke leaves an unknown outcome and ends the session`(
        state: String
    ) async throws {
        try await FakePostgres.with(refusal: state) { server in
            try await withClient(server.conninfo, connections: 1) { client async throws in
                for number in 1...3 {
                    let error = await #expect(throws: PostgresError(.outcomeUnknown, "")) {
                        _ = try await client.execute(Self.look)
                    }
                    #expect(error?.isTransient == true && error?.message.hasPrefix(state) == true)
                    #expect(server.sessions == number)
                }
            }
        }
    }

    @Test func `a refusal of the server itself is told as such and leaves the session as it was`() async throws {
        try await FakePostgres.with(refusal: "40001") { server in
            try await withClient(server.conninfo, connections: 1) { client async throws in
                for _ in 1...3 {
                    await #expect(throws: PostgresError(.server("40001"), "")) {
                        _ = try await client.execute(Self.look)
                    }
                }
                #expect(server.sessions == 1)
            }
        }
    }

    /// A pooler has sessions of its own, with limits of their own.
    @Test func `a session has its limits and its isolation, whatever the role or the database have`() async throws {
        let server = try await PrivatePostgres.shared()
        let conninfo = try await server.createDatabase()
        try await withClient(conninfo, connections: 1) { client async throws in
            try await client.executeScript(
                """
                DO $$ BEGIN
                    EXECUTE format('ALTER DATABASE %I SET statement_timeout = 7', current_database());
                    EXECUTE format('ALTER DATABASE %I SET lock_timeout = 7', current_database());
                    EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = %L',
                        current_database(), 'repeatable read');
                END $$
                """)
        }
        try await withClient(conninfo, connections: 1, { $0.statementTimeout = .seconds(41) }) { client async throws in
            let row = try #require(try await client.execute(Self.limits).first)
            #expect(try row.text("statement") == "41s" && row.text("lock") == "1min")
            #expect(try row.text("isolation") == "read committed")
        }
    }

    private static let limits = PostgresStatement(
        "test_limits",
        """
        SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
            current_setting('transaction_isolation') AS isolation
        """)
}
