import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import Testing

@Suite("The id of an installation", .timeLimit(.minutes(2)))
struct InstallationTests {
    @Test
    func `an installation's id is made with the schema, is another in each database, and the same after down and up`()
        async throws
    {
        try await withPostgresStore { store, client async throws in
            let installation = PostgresInstallation(client: client)
            let id = try await installation.require()
            let noted = try await store.auditTrail(of: "installation", limit: 5)
            #expect(noted.map(\.action) == ["installation.new"] && noted.first?.details == ["id": "\(id)"])
            let migrator = Migrator(client: client)
            _ = try await migrator.down(to: 9)
            #expect(try await installation.read() == nil)
            await #expect(throws: StoreError(.refused, "")) { try await installation.require() }
            _ = try await migrator.up()
            #expect(try await installation.require() == id)
            #expect(try await store.auditTrail(of: "installation", limit: 5).count == 1)
            try await withPostgresStore { _, other async throws in
                #expect(try await PostgresInstallation(client: other).require() != id)
            }
        }
    }

    @Test func `an installation's id of a copied database is renewed by whoever names it, and noted`() async throws {
        try await withPostgresStore { store, client async throws in
            let installation = PostgresInstallation(client: client)
            let first = try await installation.require()
            let second = try await installation.renew(first, by: "alice")
            #expect(second != first)
            #expect(try await installation.require() == second)
            await #expect(throws: StoreError(.conflict, "")) { _ = try await installation.renew(first, by: "bob") }
            let latest = try #require(try await store.auditTrail(of: "installation", limit: 1).first)
            #expect(latest.action == "installation.renew" && latest.actor == "alice")
            #expect(latest.details == ["id": "\(second)", "was": "\(first)"])
            let migrator = Migrator(client: client)
            _ = try await migrator.down(to: 9)
            _ = try await migrator.up()
            #expect(try await installation.require() == second)
        }
    }
}
