import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// By it the ledger finds the result of a bundle that comes again; `ResendTests` compare it with real assertions.
@Suite("The counter that the database reads in an assertion", .timeLimit(.minutes(3)))
struct AssertionCounterTests {
    private static let read = PostgresStatement("test_counter_read", "SELECT assertion_counter($1) AS counter")
    private static let plan = PostgresStatement(
        "test_counter_plan", "EXPLAIN (VERBOSE) SELECT FROM intake WHERE assertion_counter(assertion) = 1")

    @Test func `a counter is read behind its key, whatever its value, and none where there is none`() async throws {
        let key = [0x71] + Array("authenticatorData".utf8)
        let cases: [([UInt8]?, Int64?)] = [
            (SignedUpload.assertion(0), 0), (SignedUpload.assertion(0x0102_0304), 0x0102_0304),
            (SignedUpload.assertion(.max), 0xFFFF_FFFF), (SignedUpload.assertion(7) + [1, 2, 3], 7),
            (nil, nil), ([], nil), (key + [0x58, 37], nil), (SignedUpload.assertion(1, length: [0x59, 0, 37]), nil),
            // Nothing of the same text before it counts that no byte string follows.
            (key + SignedUpload.assertion(9), 9),
        ]
        try await withPostgresStore { _, client async throws in
            for (assertion, counter) in cases {
                let parameter = PostgresValue.optional(assertion) { .bytes($0) }
                let row = try #require(try await client.execute(Self.read, [parameter]).first)
                #expect(try row.int8Optional("counter") == counter, "\(assertion ?? [])")
            }
        }
    }

    /// A role or a database may have a setting by which a backslash in a text begins an escape.
    @Test func `a counter is read whatever the session takes a backslash for`() async throws {
        let database = try await MigratedDatabase()
        let hex = SignedUpload.assertion(7).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let counter = try await database.psql(
            "SET standard_conforming_strings = off; SELECT assertion_counter(decode('\(hex)', 'hex'))")
        #expect(counter == "7")
    }

    /// Calling a function costs more than what it does here.
    @Test func `it is part of the statement that asks for it`() async throws {
        try await withPostgresStore { _, client async throws in
            let lines = try await client.execute(Self.plan).rows.map { row throws(PostgresError) in
                try row.text("QUERY PLAN")
            }
            #expect(lines.contains { $0.contains("Filter: ") } && !lines.contains { $0.contains("assertion_counter") })
        }
    }
}
