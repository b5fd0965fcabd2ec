import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("The rights that a user lacks in the record", .timeLimit(.minutes(2)))
struct MissingRightTests {
    /// Runs a body with what a new user lacks in a migrated database, and with a way to let its owner do something.
    private func withStranger(
        _ body: (_ name: String, _ store: PostgresCaptureStore, _ owner: PostgresClient) async throws -> Void
    ) async throws {
        let server = try await PrivatePostgres.shared()
        let (database, conninfo) = try await server.createNamedDatabase()
        let name = "stranger_\(database)"
        try await withClient(conninfo) { owner in
            _ = try await Migrator(client: owner).up()
            try await run("CREATE ROLE \(name) LOGIN", owner)
            try await withClient(conninfo.replacing("user=capture", with: "user=\(name)")) { client in
                try await body(name, PostgresCaptureStore(client: client), owner)
            }
        }
    }

    @Test func `the owner lacks none`() async throws {
        try await withPostgresStore { store, _ async throws in
            #expect(try await store.missingRights() == [])
        }
    }

    @Test func `each is named until it is granted, and no other one`() async throws {
        try await withStranger { name, store, owner async throws in
            var missing = try await store.missingRights()
            #expect(missing.contains { $0.isToRead } && missing.contains { !$0.isToRead })
            #expect(missing.map(\.description).contains("INSERT on captures"), "\(missing)")
            // The second one is called by `capture_intake_v1`, with the rights of whoever calls that.
            for function in ["capture_settle_v1", "assertion_counter"] {
                try await run("REVOKE EXECUTE ON FUNCTION \(function) FROM PUBLIC", owner)
                missing.append(MissingRight(verb: "EXECUTE", part: function))
            }
            while let right = missing.popLast() {
                let kind = ["EXECUTE": "FUNCTION ", "USAGE": "SEQUENCE "][right.verb] ?? ""
                try await run("GRANT \(right.verb) ON \(kind)\(right.part) TO \(name)", owner)
                let left = try await store.missingRights().map(\.description)
                #expect(Set(left) == Set(missing.map(\.description)), "\(right)")
            }
        }
    }

    /// The parts of such a schema cannot be looked up, as if there were none.
    @Test func `a schema that may not be used is named, and counts as one that cannot be read`() async throws {
        try await withStranger { name, store, owner async throws in
            let missing = try await store.missingRights()
            try await run("REVOKE USAGE ON SCHEMA public FROM PUBLIC", owner)
            let right = MissingRight(verb: "USAGE", part: "SCHEMA public")
            #expect(try await store.missingRights() == [right] && right.isToRead)
            try await run("GRANT \(right) TO \(name)", owner)
            #expect(try await store.missingRights() == missing)
        }
    }

    /// When somebody adds a statement, the rights that it needs must be asked for too.
    @Test func `whatever a statement writes is among them`() async throws {
        let migrations = Set(Statements.migrations.map(\.name))
        let written = Statements.all.filter { !migrations.contains($0.name) }.flatMap { statement in
            statement.sql.matches(of: /(INSERT INTO|UPDATE|DELETE FROM) ([a-z_]+)/).map { match in
                MissingRight(verb: String(match.output.1.prefix(6)), part: String(match.output.2)).description
            }
        }
        #expect(written.count > 20)
        try await withStranger { _, store, _ async throws in
            let known = Set(try await store.missingRights().map(\.description))
            #expect(Set(written).subtracting(known) == [])
        }
    }

    private func run(_ sql: String, _ client: PostgresClient) async throws {
        try await client.executeScript(sql)
    }
}
