import CaptureStore
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite("A pooler in front of PostgreSQL", .timeLimit(.minutes(1)))
struct PostgresPoolerTests {
    private static let look = PostgresStatement("test_look", "SELECT 1 AS one")

    @Test(arguments: ["08000", "08003", "08006", "08P01", "40003"])
    func `what it says when its own connection broke leaves an unknown outcome and ends the session`(
        state: String
    ) async throws {
        try await FakePostgres.with(statementTimeout: 60_000, refusal: state) { server in
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
        try await FakePostgres.with(statementTimeout: 60_000, refusal: "40001") { server in
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

    @Test(arguments: [0, 30_000])
    func `a session that has lost its limit is refused, and by name`(limit: Int) async throws {
        try await FakePostgres.with(statementTimeout: limit, refusal: "40001") { server in
            try await withClient(server.conninfo, connections: 1) { client async throws in
                let error = await #expect(throws: PostgresError(.configuration, "")) {
                    _ = try await client.execute(Self.look)
                }
                #expect(error?.isTransient == false && error?.message.contains("statement_timeout") == true)
            }
            // A worker waits for it to be mended, and blames no capture.
            try await withClient(server.conninfo, connections: 1) { client async throws in
                let fault = await #expect(throws: StoreError(.refused, "")) {
                    try await PostgresCaptureStore(client: client).ping()
                }
                #expect(fault?.concernsContent == false)
            }
        }
    }
}
