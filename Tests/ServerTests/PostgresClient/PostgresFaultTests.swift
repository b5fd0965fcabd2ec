import Glibc
import PostgresClient
import Testing
import TestSupport
import Waiting

@Suite("A PostgreSQL server that fails", .timeLimit(.minutes(3)))
struct PostgresFaultTests {
    @Test func `a session that is terminated in a statement says so, and the next call has a new one`() async throws {
        try await withClient(PrivatePostgres.shared().createDatabase(), connections: 2, { _ in }) {
            client async throws in
            let victim = Task { try await client.execute(Self.sleep) }
            try await terminate(client)
            let error = await #expect(throws: PostgresError(.server("57P01"), "")) { _ = try await victim.value }
            #expect(error?.isTransient == true)
            for _ in 0..<4 { try await client.ping() }
        }
    }

    private static let pid = PostgresStatement("test_pid", "SELECT pg_backend_pid() AS pid")

    @Test func `a session that is terminated at rest is replaced before anybody notices`() async throws {
        let server = try await PrivatePostgres.shared()
        let conninfo = try await server.createDatabase()
        try await withClient(conninfo, connections: 1) { client async throws in
            let pid = try #require(try await client.execute(Self.pid).first).int4("pid")
            // Until the server has let go of it.
            try await eventually {
                try await server.psql(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid = \(pid)") == "0"
            }
            try await client.ping()
            let other = try #require(try await client.execute(Self.pid).first).int4("pid")
            #expect(other != pid)
        }
    }

    @Test func `a server that stops answering is given up in time, and used again when it is back`() async throws {
        let server = try await PrivatePostgres.start()
        let conninfo = try await server.createDatabase()
        try await withClient(
            conninfo, connections: 2,
            {
                $0.statementTimeout = .milliseconds(300)
                $0.answerGrace = .milliseconds(300)
                $0.connectTimeout = .milliseconds(500)
            }
        ) { client async throws in
            try await client.recover()
            try await server.signalAll(SIGSTOP)
            let error = await #expect(throws: PostgresError(.timeout, "")) { try await client.ping() }
            #expect(error?.isTransient == true)
            // A new session gets no answer either.
            await #expect(throws: PostgresError(.connection, "")) { try await client.ping() }
            try await server.signalAll(SIGCONT)
            try await client.recover()
        }
        try await server.stop()
    }

    @Test func `the wait in line for a server that hangs leaves less time to connect to it`() async throws {
        let server = try await PrivatePostgres.start()
        let conninfo = try await server.createDatabase()
        try await withClient(
            conninfo, connections: 1,
            {
                $0.statementTimeout = .milliseconds(300)
                $0.answerGrace = .milliseconds(700)
                $0.acquireTimeout = .seconds(20)
                // Far longer than the wait in line.
                $0.connectTimeout = .seconds(100)
            }
        ) { client async throws in
            try await client.recover()
            try await server.signalAll(SIGSTOP)
            let start = ContinuousClock.now
            let faults = try await race(2) { _ in try await fault(client) }
            #expect(Set(faults.map(\.code)) == [.timeout, .connection])
            #expect(start.duration(to: .now) < .seconds(60))
            try await server.signalAll(SIGCONT)
            try await client.recover()
        }
        try await server.stop()
    }

    @Test func `when sessions are given up for their silence, one attempt finds out for all`() async throws {
        let server = try await PrivatePostgres.start()
        let conninfo = try await server.createDatabase()
        try await withClient(
            conninfo, connections: 4,
            {
                $0.statementTimeout = .milliseconds(300)
                $0.answerGrace = .milliseconds(300)
                $0.connectTimeout = .seconds(3)
            }
        ) { client async throws in
            // All four have a session: each waits until the others are lent as well.
            try await client.recover()
            _ = try await race(4) { _ in
                // On a busy machine a connection may take longer than it has.
                try await eventually {
                    let done: Void? = try? await client.withConnection { _ throws(PostgresError) in
                        try await client.untilPool { $0.leased + $0.idle >= 4 }
                    }
                    return done != nil
                }
            }
            try await server.signalAll(SIGSTOP)
            let silent = try await race(4) { _ in try await fault(client) }
            #expect(silent.map(\.code) == Array(repeating: .timeout, count: 4))
            let later = try await race(4) { _ in try await fault(client) }
            #expect(later.map(\.code) == Array(repeating: .connection, count: 4))
            #expect(later.contains { $0.message.hasPrefix("a session had no answer in time; ") })
            try await server.signalAll(SIGCONT)
        }
        try await server.stop()
    }

    @Test func `a server that is killed and started again is used again, without a restart of ours`() async throws {
        let server = try await PrivatePostgres.start()
        let conninfo = try await server.createDatabase()
        try await withClient(conninfo, connections: 3, { $0.backoff.cap = .milliseconds(100) }) {
            client async throws in
            _ = try await race(3) { _ in try await client.ping() }
            try await server.kill()
            for _ in 0..<5 {
                let error = await #expect(throws: PostgresError.self) { try await client.ping() }
                #expect(error?.code == .connection)
            }
            try await server.restart()
            try await client.recover()
            _ = try await race(6) { _ in try await client.ping() }
        }
        try await server.stop()
    }

    @Test func `a session on a server that only reads is not kept`() async throws {
        let server = try await PrivatePostgres.shared()
        let conninfo = try await server.createDatabase()
        let database = conninfo.split(separator: "=").last ?? ""
        try await server.psql("ALTER DATABASE \"\(database)\" SET default_transaction_read_only = on")
        try await withClient(conninfo, connections: 1) { client async throws in
            let asked = await #expect(throws: PostgresError(.server("25006"), "")) { try await client.ping() }
            #expect(asked?.isTransient == true)
            await #expect(throws: PostgresError(.server("25006"), "")) { _ = try await client.execute(Self.write) }
            // As when the name has moved to a server that writes: the default is read when a session begins.
            try await server.psql("ALTER DATABASE \"\(database)\" RESET default_transaction_read_only")
            _ = try await client.execute(Self.write)
            try await client.ping()
        }
    }

    @Test func `a statement that the schema has left behind is done by the next session`() async throws {
        let conninfo = try await PrivatePostgres.shared().createDatabase()
        try await withClient(conninfo, connections: 1) { client async throws in
            try await script(client, "CREATE TABLE numbers (n integer)")
            _ = try await client.execute(Self.numbers)
            try await script(client, "ALTER TABLE numbers ALTER n TYPE bigint")
            let stale = await #expect(throws: PostgresError(.server("0A000"), "")) {
                _ = try await client.execute(Self.numbers)
            }
            #expect(stale?.isTransient == true)
            _ = try await client.execute(Self.numbers)
        }
    }

    /// As where an operator's view is on a table that a migration changes: trying again is no help.
    @Test func `what PostgreSQL cannot do is refused for good`() async throws {
        let conninfo = try await PrivatePostgres.shared().createDatabase()
        try await withClient(conninfo, connections: 1) { client async throws in
            let fault = await #expect(throws: PostgresError(.server("0A000"), "")) {
                try await script(
                    client,
                    "CREATE TABLE t (n integer); CREATE VIEW v AS SELECT n FROM t; ALTER TABLE t ALTER n TYPE bigint")
            }
            #expect(fault?.isTransient == false)
        }
    }

    /// Ends the one session that sleeps, as soon as it does.
    private func terminate(_ client: PostgresClient) async throws {
        while true {
            let row = try await client.execute(Self.terminate).first
            if try row?.int8("count") == 1 { return }
        }
    }

    private func script(_ client: PostgresClient, _ sql: String) async throws {
        try await client.executeScript(sql)
    }

    /// Why the server is not there.
    private func fault(_ client: PostgresClient) async throws -> PostgresError {
        let fault = await #expect(throws: PostgresError.self) { try await client.ping() }
        return try #require(fault)
    }

    private static let sleep = PostgresStatement("test_sleep", "SELECT pg_sleep(60)::text")
    private static let numbers = PostgresStatement("test_numbers", "SELECT n FROM numbers")
    private static let write = PostgresStatement("test_write", "CREATE TABLE written ()")
    private static let terminate = PostgresStatement(
        "test_terminate",
        """
        SELECT count(pg_terminate_backend(pid)) AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'PgSleep'
        """)
}
