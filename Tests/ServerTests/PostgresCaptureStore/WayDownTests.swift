import PostgresClient
import Testing

@testable import PostgresCaptureStore

@Suite("What is said before a way down", .timeLimit(.minutes(2)))
struct WayDownTests {
    @Test func `results and open rows are counted at every version`() async throws {
        try await withDatabase { client async throws in
            let migrator = Migrator(client: client)
            for version in 0...migrator.latestVersion {
                _ = try await migrator.up(to: version)
                let rows = try await migrator.count(at: version, most: 10)
                #expect(rows.results == 0 && rows.openRows == 0)
            }
        }
    }

    @Test func `what a way down drops is named, columns with their table`() {
        let down = "DROP VIEW v; ALTER TABLE a DROP CONSTRAINT c, DROP COLUMN x, DROP COLUMN y; DROP TABLE b;"
        #expect(Migration(version: 1, name: "a", up: "", down: down).dropped == ["a.x", "a.y", "b"])
    }
}
