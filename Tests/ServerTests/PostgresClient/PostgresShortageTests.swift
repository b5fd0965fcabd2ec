import Foundation
import PostgresClient
import TestSupport
import Testing

/// A limit of a role is reached as that of the server is (`max_connections`), and disturbs no other test.
@Suite("A PostgreSQL server that gives no more connections", .timeLimit(.minutes(3)))
struct PostgresShortageTests {
    @Test func `calls wait for the sessions that there are when the server gives no more of them`() async throws {
        try await withLimitedClient(connections: 8) { client, role async throws in
            try await role.limit(to: 2)
            // One inside of the other: two sessions.
            try await client.withConnection { _ throws(PostgresError) in try await client.ping() }
            _ = try await race(50) { _ in try await client.execute(Self.nap) }
            #expect(client.status.leased == 0 && client.status.waiting == 0)
        }
    }

    @Test func `a place that somebody else has taken meanwhile does not keep idle sessions from work`() async throws {
        try await withLimitedClient(connections: 2) { client, role async throws in
            try await client.withConnection { _ throws(PostgresError) in try await client.ping() }
            #expect(client.status.idle == 2)
            try await role.limit(to: 1)
            // The one that was used last is the one that is lent next.
            let pid = try #require(try await client.execute(Self.pid).first).int4("pid")
            try await eventually { try await role.terminate(where: "pid = \(pid)") == "0" }
            // The first of them meets the place without a session, and takes the other one.
            for _ in 0..<20 { try await client.ping() }
            #expect(client.status.idle == 1, "a place without a session counts")
        }
    }

    @Test func `a call that waits for the last session goes on when that ends`() async throws {
        try await withLimitedClient(connections: 2, { $0.acquireTimeout = .seconds(3600) }) {
            client, role async throws in
            let (holder, waiting) = try await holdOnlySession(of: client, role)
            _ = try await role.terminate(where: "wait_event = 'PgSleep'")
            await #expect(throws: PostgresError(.server("57P01"), "")) { _ = try await holder.value }
            // It connects then, or hears at once that it cannot, as the server has not let go of the session yet.
            do {
                try await waiting.value
            } catch {
                #expect(error as? PostgresError == PostgresError(.connection, ""))
            }
            #expect(client.status.leased == 0 && client.status.waiting == 0)
        }
    }

    @Test func `a call that waits for a session connects once there is room again, whoever keeps the other`()
        async throws
    {
        try await withLimitedClient(connections: 2, { $0.acquireTimeout = .seconds(3600) }) {
            client, role async throws in
            let (holder, waiting) = try await holdOnlySession(of: client, role)
            try await role.limit(to: 2)
            try await waiting.value
            #expect(try await role.terminate(where: "wait_event = 'PgSleep'") == "1", "the other one is still at work")
            await #expect(throws: PostgresError(.server("57P01"), "")) { _ = try await holder.value }
        }
    }

    @Test func `a call that waits for a session leaves its place when its task is cancelled`() async throws {
        try await withLimitedClient(connections: 2) { client, role async throws in
            let (holder, waiting) = try await holdOnlySession(of: client, role)
            waiting.cancel()
            await #expect(throws: PostgresError(.cancelled, "")) { try await waiting.value }
            #expect(client.status.leased == 1 && client.status.waiting == 0)
            _ = try await role.terminate(where: "wait_event = 'PgSleep'")
            await #expect(throws: PostgresError(.server("57P01"), "")) { _ = try await holder.value }
        }
    }

    @Test func `whoever finds no session free hears why there is no other, unless the server has answered meanwhile`()
        async throws
    {
        // Long enough for an answer on a busy machine, and waited out twice.
        try await withLimitedClient(connections: 2, { $0.pingAcquireTimeout = .seconds(5) }) {
            client, role async throws in
            try await role.limit(to: 1)
            try await client.withConnection { connection throws(PostgresError) in
                let silent = await #expect(throws: PostgresError(.connection, "")) { try await client.ping() }
                #expect(silent?.message.contains(role.name) == true, "PostgreSQL names the role")
                // It has come when this returns.
                let ping = Task.immediate { try await client.ping() }
                _ = try await connection.execute(Self.pid)
                await #expect(throws: PostgresError(.poolExhausted, "")) { try await ping.value }
            }
        }
    }

    /// A call that keeps the only session that a role may have, and one that waits for it.
    private func holdOnlySession(
        of client: PostgresClient, _ role: Role
    ) async throws -> (holder: Task<PostgresResult, any Error>, waiting: Task<Void, any Error>) {
        try await role.limit(to: 1)
        let holder = Task { try await client.execute(Self.sleep) }
        try await eventually { try await role.sessions(where: "wait_event = 'PgSleep'") == "1" }
        let waiting = Task { try await client.ping() }
        try await eventually { client.status.waiting == 1 }
        return (holder, waiting)
    }

    /// A role of PostgreSQL that may have so many sessions only.
    private struct Role: Sendable {
        let name: String
        let server: PrivatePostgres

        func limit(to connections: Int) async throws {
            try await server.psql("ALTER ROLE \"\(name)\" CONNECTION LIMIT \(connections)")
        }

        /// How many of its sessions there are.
        func sessions(where condition: String) async throws -> String {
            try await server.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE usename = '\(name)' AND \(condition)")
        }

        /// Ends sessions of its own, and returns how many there were.
        func terminate(where condition: String) async throws -> String {
            try await server.psql(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE usename = '\(name)' AND \(condition)
                """)
        }
    }

    private func withLimitedClient(
        connections: Int, _ configure: (inout PostgresConfiguration) -> Void = { _ in },
        _ body: (PostgresClient, Role) async throws -> Void
    ) async throws {
        let server = try await PrivatePostgres.shared()
        let (database, conninfo) = try await server.createNamedDatabase()
        let role = Role(name: "limited_\(database)", server: server)
        try await server.psql("CREATE ROLE \"\(role.name)\" LOGIN")
        let own = conninfo.replacingOccurrences(of: "user=capture", with: "user=\(role.name)")
        try await withClient(own, connections: connections, configure) { client async throws in
            try await body(client, role)
        }
    }

    private static let nap = PostgresStatement("test_nap", "SELECT pg_sleep(0.01)::text")
    private static let sleep = PostgresStatement("test_sleep", "SELECT pg_sleep(50)::text")
    private static let pid = PostgresStatement("test_pid", "SELECT pg_backend_pid() AS pid")
}
