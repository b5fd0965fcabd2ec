import CaptureModel
import GatewayClient
import PostgresCaptureStore
import TestSupport
import Testing

@Suite("PostgreSQL is one installation's, and no other's", .timeLimit(.minutes(5)))
struct RecordOwnerTests {
    @Test func `programs end when PostgreSQL comes to be another's, and settle nothing there`() async throws {
        let (stack, other) = (try await Stack.start(), try await Stack.start())
        let ids = [try await stack.installation(), try await other.installation()]
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let worker = try stack.worker()
        try await worker.line(containing: "worker is ready")
        #expect(try await stack.capturectl("pause").exitCode == 0)
        let id = try await phone.upload(try phone.shoot(seed: 1))
        try await stack.postgres.swapDatabases(stack.databaseName, other.databaseName)
        try await stack.redis.cli("DEL", "{cq:0}:paused")
        // It may have ended already.
        _ = try? await Scrape(gateway, "listening on ").text("/readyz")
        let words = "redis.url is the queue of the installation \(ids[0]), and postgres.url the record of \(ids[1])"
        for program in [gateway, worker] {
            #expect(try await program.exitCode() == 1)
            let alarm = "PostgreSQL has come to belong to another installation"
            #expect(program.output.contains(alarm) && program.output.contains(words), "\(program.output)")
        }
        let written = try await stack.psql("SELECT (SELECT count(*) FROM captures) + (SELECT count(*) FROM intake)")
        #expect(written.first == "0", "\(written)")

        try await stack.postgres.swapDatabases(stack.databaseName, other.databaseName)
        let again = try await stack.gateway()
        let back = Phone(id: phone.id, level: phone.level, device: phone.device, gateway: again.client)
        let next = try stack.worker()
        #expect(try await back.settled(id).state == .verified)
        for program in [next, again.process] { try await program.expectStop() }
    }

    @Test func `a schema is not migrated beside another's Redis, nor beside one whose id cannot be read`()
        async throws
    {
        let (stack, other) = (try await Stack.start(), try await Stack.start())
        // A step that is to be taken, and would be told.
        try await other.psql("DELETE FROM schema_migrations WHERE version = \(Migration.all.count)")
        let own = try await stack.installation()
        let refusals: [([String], String)] = [
            ([], "redis.url is the queue of the installation \(own)"),
            (["--new-installation"], "an empty Redis of its own"),
        ]
        for (options, words) in refusals {
            let run = try await stack.capturectl(
                ["migrate"] + options, with: ["CAPTURE_POSTGRES_URL": other.database])
            #expect(run.exitCode == 70 && run.output.contains(words), "\(run.output)")
            #expect(!run.output.contains(" begins"), "\(run.output)")
        }
        try await stack.redis.cli("HSET", "{cq:0}:limits", "installation", "mine")
        let run = try await stack.capturectl(["migrate"], with: ["CAPTURE_POSTGRES_URL": other.database])
        #expect(run.exitCode == 70 && run.output.contains("is no id"), "\(run.output)")
        #expect(!run.output.contains(" begins"), "\(run.output)")
    }
}
