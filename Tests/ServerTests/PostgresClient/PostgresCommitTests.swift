import Foundation
import PostgresClient
import Testing
import TestSupport
import Waiting

@Suite("A COMMIT of a PostgreSQL server that fails", .timeLimit(.minutes(3)))
struct PostgresCommitTests {
    @Test func `a COMMIT without an answer is of unknown outcome, a statement before it is not`() async throws {
        let server = try await PrivatePostgres.start()
        let conninfo = try await server.createDatabase()
        for (isInCommit, code) in [(true, PostgresError.Code.outcomeUnknown), (false, .connection)] {
            try await withClient(conninfo, connections: 2, { $0.backoff.cap = .milliseconds(50) }) {
                client async throws in
                try await client.recover()
                if isInCommit {
                    try await client.executeScript(Self.slowCommit)
                }
                let victim = Task { [isInCommit] in
                    try await client.withTransaction { connection throws(PostgresError) in
                        _ = try await connection.execute(isInCommit ? Self.insert : Self.sleep)
                    }
                }
                // Seen from outside: the statement under way is the one that sleeps.
                try await eventually {
                    try await server.psql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1"
                }
                try await server.kill()
                await #expect(throws: PostgresError(code, "")) { try await victim.value }
            }
            try await server.restart()
        }
        try await server.stop()
    }

    /// Each commit that waits for a standby stays at work on the server, whatever becomes of its session.
    @Test func `commits that hang leave a bounded number of sessions behind, and reading goes on until then`()
        async throws
    {
        let server = try await PrivatePostgres.start()
        let conninfo = try await server.createDatabase()
        let database = try #require(conninfo.split(separator: "=").last)
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)' AND wait_event = 'SyncRep'"
        try await withClient(conninfo) { client async throws in _ = try await client.execute(Self.write) }
        try await server.psql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try await server.stop()
        try await server.restart()
        try await withClient(
            conninfo, connections: 2,
            {
                $0.statementTimeout = .seconds(3)
                $0.answerGrace = .milliseconds(300)
                $0.backoff.cap = .milliseconds(1)
            }
        ) { client async throws in
            for _ in 0..<4 {
                // A busy machine may take longer for it than a statement has.
                try await eventually { (try? await client.ping()) != nil }
                await #expect(throws: PostgresError(.timeout, "")) { _ = try await client.execute(Self.note) }
            }
            for _ in 0..<4 {
                try await eventually {
                    do { try await client.ping() } catch let error as PostgresError {
                        return error.message.contains("4 sessions that were given up")
                    }
                    return false
                }
            }
            #expect(try await server.psql(waiting) == "4")
            try await server.psql("ALTER SYSTEM RESET synchronous_standby_names")
            try await server.psql("SELECT pg_reload_conf()")
            try await client.recover()
            try await eventually { (try? await client.execute(Self.note)) != nil }
            try await eventually { try await server.psql(waiting) == "0" }
        }
        try await server.stop()
    }

    /// The server answers as if all were well; the standby may lack the commit.
    @Test(arguments: [true, false])
    func `a COMMIT whose wait for the standby is cancelled is of unknown outcome`(isExplicit: Bool) async throws {
        let server = try await PrivatePostgres.start()
        let conninfo = try await server.createDatabase()
        try await withClient(conninfo, connections: 1) { client async throws in
            _ = try await client.execute(Self.write)
            try await server.psql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            try await server.psql("SELECT pg_reload_conf()")
            // Until one waits: nobody tells when commits begin to.
            let commit = Task { () async throws -> Void in
                while true {
                    guard isExplicit else {
                        _ = try await client.execute(Self.note)
                        continue
                    }
                    try await client.withTransaction { connection throws(PostgresError) in
                        _ = try await connection.execute(Self.note)
                    }
                }
            }
            try await eventually { try await server.psql(Self.cancelWaiting) == "t" }
            await #expect(throws: PostgresError(.outcomeUnknown, "")) { try await commit.value }
            try await server.psql("ALTER SYSTEM RESET synchronous_standby_names")
            try await server.psql("SELECT pg_reload_conf()")
            // Nothing of it is left for the statements after it.
            try await eventually { (try? await client.execute(Self.note)) != nil }
        }
        try await server.stop()
    }

    private static let cancelWaiting =
        "SELECT coalesce(bool_or(pg_cancel_backend(pid)), false) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

    /// The server is stopped in good order while it writes the commit out: it says that it is done, and ends.
    @Test(arguments: [("client_commit", true), ("client_begin", false)])
    func `a COMMIT that was answered stands, though the session ends with it`(last: String, isDone: Bool) async throws {
        try await FakePostgres.with { statement in
            let tag = statement == "client_commit" ? "COMMIT" : "BEGIN"
            return statement == last ? .doneAndEnded(tag) : .done(tag)
        } _: { server in
            try await withClient(server.conninfo, connections: 1) { client async throws in
                for _ in 0..<2 {
                    let done = try? await client.withTransaction { _ throws(PostgresError) in true }
                    #expect(done == (isDone ? true : nil))
                }
                #expect(server.sessions == 2, "the session is not used again")
            }
        }
    }

    private static let sleep = PostgresStatement("test_sleep", "SELECT pg_sleep(60)::text")
    private static let write = PostgresStatement("test_write", "CREATE TABLE written ()")
    private static let note = PostgresStatement("test_note", "INSERT INTO written DEFAULT VALUES")
    private static let insert = PostgresStatement("test_insert", "INSERT INTO slow VALUES (1)")
    private static let slowCommit = """
        CREATE TABLE slow (n integer);
        CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION be_slow();
        """
}
