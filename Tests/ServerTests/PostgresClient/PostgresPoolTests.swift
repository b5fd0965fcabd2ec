import PostgresClient
import Synchronization
import TestSupport
import Testing

@Suite("The pool of PostgreSQL sessions", .timeLimit(.minutes(2)))
struct PostgresPoolTests {
    @Test func `no more connections than allowed are ever open`() async throws {
        try await withDatabase(connections: 3) { client async throws in
            let most = Mutex(0)
            _ = try await race(40) { _ in
                let row = try await client.execute(Self.countConnections).first
                let count = try Int(row?.int8("count") ?? 0)
                most.withLock { $0 = max($0, count) }
            }
            #expect((1...3).contains(most.withLock { $0 }))
            #expect(client.status.leased == 0)
            #expect(client.status.waiting == 0)
        }
    }

    @Test func `a call that gets no connection in time says so`() async throws {
        try await withDatabase({
            $0.acquireTimeout = .milliseconds(50); $0.connectionsMax = 1
        }) { client async throws in
            // To connect may take longer than that.
            try await eventually { (try? await client.ping()) != nil }
            try await client.withConnection { _ throws(PostgresError) in
                _ = await #expect(throws: PostgresError(.poolExhausted, "")) { try await client.ping() }
            }
            try await client.ping()
        }
    }

    @Test func `a ping waits for a connection no longer than it may, and says that the server was not asked`()
        async throws
    {
        try await withDatabase({
            $0.acquireTimeout = .seconds(3600); $0.pingAcquireTimeout = .milliseconds(50); $0.connectionsMax = 1
        }) { client async throws in
            try await client.withConnection { _ throws(PostgresError) in
                _ = await #expect(throws: PostgresError(.poolExhausted, "")) { try await client.ping() }
            }
            try await client.ping()
        }
    }

    @Test func `too many waiting calls are turned away at once`() async throws {
        try await withDatabase({
            $0.waitersMax = 0; $0.connectionsMax = 1
        }) { client async throws in
            try await client.withConnection { _ throws(PostgresError) in
                _ = await #expect(throws: PostgresError(.poolExhausted, "")) { try await client.ping() }
            }
        }
    }

    @Test func `a waiting call ends when its task is cancelled, and leaves its place`() async throws {
        try await withDatabase({ $0.connectionsMax = 1 }) { client async throws in
            try await client.withConnection { _ throws(PostgresError) in
                let waiting = Task { try await client.ping() }
                try await client.untilPool { $0.waiting > 0 }
                waiting.cancel()
                await #expect(throws: PostgresError(.cancelled, "")) { try await waiting.value }
                #expect(client.status.waiting == 0)
            }
            try await client.ping()
        }
    }

    @Test func `a closed client ends its sessions at once, but for those that are lent until they come back`()
        async throws
    {
        let server = try await PrivatePostgres.shared()
        let conninfo = try await server.createDatabase()
        let database = conninfo.split(separator: "=").last ?? ""
        try await withClient(conninfo, connections: 2) { client async throws in
            try await client.withConnection { connection throws(PostgresError) in
                // Over a session of its own.
                try await client.ping()
                await client.close()
                while try await connection.execute(Self.countConnections).first?.int8("count") != 1 {
                    guard !Task.isCancelled else { throw PostgresError(.cancelled, "") }
                }
            }
            try await eventually {
                try await server.psql("SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)'") == "0"
            }
        }
    }

    @Test func `a closed client turns everybody away`() async throws {
        let conninfo = try await PrivatePostgres.shared().createDatabase()
        try await withClient(conninfo, connections: 1) { client async throws in
            try await client.withConnection { _ throws(PostgresError) in
                let waiting = Task { try await client.ping() }
                try await client.untilPool { $0.waiting > 0 }
                await client.close()
                await #expect(throws: PostgresError(.closed, "")) { try await waiting.value }
            }
            await #expect(throws: PostgresError(.closed, "")) { try await client.ping() }
        }
    }

    private static let countConnections = PostgresStatement(
        "test_connections",
        """
        SELECT count(*) AS count, pg_sleep(0.01)::text FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend'
        """)
}
