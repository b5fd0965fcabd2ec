import PostgresCaptureStore
import TestSupport
import Testing

@Suite("Commands that write, and the record's schema", .timeLimit(.minutes(3)))
struct CommandSchemaTests {
    private static let nobody = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"
    private static let commands = [
        ["pause"], ["resume"], ["dead", "redrive", "--all", "--yes"], ["dead", "discard", "--all", "--yes"],
        ["devices", "revoke", nobody, "--reason", "lost", "--yes"],
        ["devices", "compromise", nobody, "--since", "2020-01-01T00:00:00Z", "--reason", "lost", "--yes"],
        ["invitations", "create"], ["invitations", "revoke", nobody],
    ]

    /// Expects that a worker and every command that writes are refused in the same words, and that nothing is written.
    private func expectRefusal(
        _ words: String, by stack: Stack, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let worker = try stack.worker()
        #expect(try await worker.exitCode() == 1, sourceLocation: sourceLocation)
        #expect(worker.output.contains(words), "\(worker.output)", sourceLocation: sourceLocation)
        let rows = "SELECT (SELECT count(*) FROM audit), (SELECT count(*) FROM invitations)"
        let before = try await stack.psql(rows)
        for command in Self.commands {
            let run = try await stack.capturectl(command, with: [:])
            #expect(
                run.exitCode == 70 && run.output.contains("PostgreSQL: \(words)"), "\(command): \(run.output)",
                sourceLocation: sourceLocation)
        }
        #expect(try await stack.redis.cli("EXISTS", "{cq:0}:paused").hasPrefix("0"), sourceLocation: sourceLocation)
        #expect(try await stack.psql(rows) == before, sourceLocation: sourceLocation)
    }

    @Test func `nothing is written into an older release's schema, and the words are the servers'`() async throws {
        let stack = try await Stack.start()
        let needed = Migration.all.count
        try await stack.psql("DELETE FROM schema_migrations WHERE version = \(needed)")
        try await expectRefusal(
            "the schema is at version \(needed - 1), needed is \(needed): migrate first", by: stack)
    }

    @Test func `nothing is written into a schema that another program has made`() async throws {
        let stack = try await Stack.start()
        try await stack.psql("UPDATE schema_migrations SET name = 'another', checksum = '' WHERE version = 1")
        try await expectRefusal(
            "migration 1 of the database (another) is not this program's", by: stack)
    }

    /// Whoever goes back to an older release leaves the schema as it is.
    @Test func `a newer release's schema is written into, as by the servers`() async throws {
        let stack = try await Stack.start()
        let newer = Migration.all.count + 1
        try await stack.psql(
            "INSERT INTO schema_migrations (version, name, checksum) VALUES (\(newer), 'later', 'of a later release')")
        for command in [["pause"], ["resume"], ["dead", "redrive", "--all", "--yes"], ["invitations", "create"]] {
            let run = try await stack.capturectl(command, with: [:])
            #expect(run.exitCode == 0, "\(command): \(run.output)")
        }
    }
}
