import Logging
import PostgresClient
import Synchronization
import TestSupport
import Testing

@Suite("The PostgreSQL client", .timeLimit(.minutes(2)))
struct PostgresClientTests {
    @Test func `the server's SQLSTATE is the error, without its data`() async throws {
        try await withDatabase { client async throws in
            await #expect(throws: PostgresError(.server("22012"), "")) { _ = try await client.execute(Self.divide) }
            await #expect(throws: PostgresError(.server("42P01"), "")) { _ = try await client.execute(Self.nowhere) }
            try await client.executeScript("CREATE TABLE secrets (word text CONSTRAINT one_of_each UNIQUE)")
            _ = try await client.execute(Self.insert, [.text("hunter2")])
            let error = await #expect(throws: PostgresError(.server("23505"), "")) {
                _ = try await client.execute(Self.insert, [.text("hunter2")])
            }
            #expect(error?.message == "constraint one_of_each")
            #expect(error?.isTransient == false)
            #expect(error.map { !"\($0)".contains("hunter2") } ?? false)
            // After all of these the connection is as good as before.
            #expect(client.status.leased == 0)
            try await client.ping()
        }
    }

    @Test func `the server's words are one line, as they are shown and compared`() async throws {
        try await withDatabase { client async throws in
            let error = await #expect(throws: PostgresError(.server("55000"), "")) {
                try await client.executeScript(
                    "DO $$ BEGIN RAISE EXCEPTION E'one\\ntwo' USING ERRCODE = '55000'; END $$")
            }
            #expect(error?.message == "one; two")
        }
    }

    @Test func `a statement that takes too long is ended by the server`() async throws {
        try await withDatabase({ $0.statementTimeout = .milliseconds(100) }) { client async throws in
            let error = await #expect(throws: PostgresError(.server("57014"), "")) {
                _ = try await client.execute(Self.sleep)
            }
            #expect(error?.isTransient == true)
            // So may be any other on a busy machine.
            try await eventually { (try? await client.ping()) != nil }
        }
    }

    @Test func `a body that throws leaves nothing behind, one that returns is kept`() async throws {
        try await withTable { client async throws in
            await #expect(throws: PostgresError(.server("22012"), "")) {
                try await client.withTransaction { connection throws(PostgresError) in
                    _ = try await connection.execute(Self.insert, [.text("a")])
                    _ = try await connection.execute(Self.divide)
                }
            }
            #expect(try await words(client) == [])
            try await client.withTransaction { connection throws(PostgresError) in
                _ = try await connection.execute(Self.insert, [.text("b")])
            }
            #expect(try await words(client) == ["b"])
        }
    }

    @Test func `a transaction that had failed is never called committed`() async throws {
        try await withTable { client async throws in
            await #expect(throws: PostgresError(.server("25P02"), "")) {
                try await client.withTransaction { connection throws(PostgresError) in
                    _ = try await connection.execute(Self.insert, [.text("a")])
                    do throws(PostgresError) { _ = try await connection.execute(Self.divide) } catch {}
                }
            }
            #expect(try await words(client) == [])
        }
    }

    @Test func `a script that fails after a COMMIT of its own has failed`() async throws {
        try await withTable { client async throws in
            await #expect(throws: PostgresError(.server("22012"), "")) {
                try await client.executeScript("BEGIN; INSERT INTO secrets VALUES ('a'); COMMIT; SELECT 1 / 0")
            }
            #expect(try await words(client) == ["a"])
        }
    }

    @Test func `a connection left inside a transaction is not given to the next`() async throws {
        try await withTable { client async throws in
            try await client.executeScript("BEGIN; INSERT INTO secrets VALUES ('a')")
            #expect(try await words(client) == [])
        }
    }

    @Test func `statements that wait for each other do not hold up the thread pool`() async throws {
        // More waiting statements than the cooperative pool has threads: if one blocked such a thread, nobody could
        // open the gate.
        try await withTable(connections: 9) { client async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        while true {
                            let row = try await client.execute(Self.waitForGate).first
                            if try row?.bool("is_open") ?? false { return }
                        }
                    }
                }
                _ = try await client.execute(Self.insert, [.text("gate")])
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: ["host=x password=hunter2 nonsense=1", "postgresql://u:hunter2@[x", "=", "hunter2"])
    func `a malformed connection string is told without quoting it`(_ conninfo: String) async throws {
        try await withClient(conninfo) { client async throws in
            let error = await #expect(throws: PostgresError(.configuration, "")) { try await client.ping() }
            #expect(error.map { !String(reflecting: $0).contains("hunter2") } ?? false)
        }
        #expect(!"\(PostgresConfiguration(conninfo: conninfo))".contains("hunter2"))
    }

    @Test(arguments: [
        "postgresql://u:pa@hunter2@127.0.0.1/db", "postgresql://u:pa@db.invalid,hunter2@127.0.0.1/db",
        "postgresql://u:pa@db.invalid:hunter2@127.0.0.1/db", "postgresql://u:hunter2/ss@127.0.0.1/db",
        "postgresql://u:pa@db.invalid/hunter2@127.0.0.1/db", "host=u:hunter2@127.0.0.1",
    ])
    func `a password with a mark in it that is not encoded is told to nobody`(_ conninfo: String) async throws {
        let log = FaultLog()
        let client = PostgresClient(
            configuration: PostgresConfiguration(conninfo: conninfo), logger: Logger(label: "test") { _ in log })
        let error = await #expect(throws: PostgresError(.configuration, "")) { try await client.ping() }
        await client.close()
        #expect(error.map { !String(reflecting: $0).contains("hunter2") } ?? false)
        #expect(log.lines.count == 1)
        #expect(!log.lines.contains { $0.contains("hunter2") })
    }

    /// Keeps what is logged with its metadata.
    private final class FaultLog: LogHandler, Sendable {
        private let recorded = Mutex<[String]>([])

        var lines: [String] { recorded.withLock { $0 } }

        func log(event: LogEvent) {
            recorded.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }

        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }
    }

    private func withTable(connections: Int = 4, _ body: (PostgresClient) async throws -> Void) async throws {
        try await withDatabase(connections: connections) { client async throws in
            try await client.executeScript("CREATE TABLE secrets (word text)")
            try await body(client)
        }
    }

    private func words(_ client: PostgresClient) async throws -> [String] {
        try await client.execute(Self.words).rows.map { try $0.text("word") }
    }

    private static let divide = PostgresStatement("test_divide", "SELECT 1 / 0")
    private static let nowhere = PostgresStatement("test_nowhere", "SELECT 1 FROM nowhere")
    private static let sleep = PostgresStatement("test_sleep", "SELECT pg_sleep(60)::text")
    private static let insert = PostgresStatement("test_insert", "INSERT INTO secrets (word) VALUES ($1)")
    private static let words = PostgresStatement("test_words", "SELECT word FROM secrets ORDER BY word")
    private static let waitForGate = PostgresStatement(
        "test_gate", "SELECT EXISTS (SELECT 1 FROM secrets) AS is_open, pg_sleep(0.05)::text")
}
