import CaptureModel
import CaptureStore
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("How many results a compromise marks", .timeLimit(.minutes(3)))
struct CompromiseCountTests {
    @Test func `a compromise's count is counted up to a bound, by index`() async throws {
        let database = try await MigratedDatabase()
        try await withClient(database.conninfo) { client in
            let store = PostgresCaptureStore(client: client)
            let device = try await store.registered()
            try await database.psql(VerifiedResults.insert(30_000, from: "2026-12-01Z"))
            // Sees to it that an index is enough to count by.
            try await database.psql("VACUUM ANALYZE captures")
            let all = try await store.compromise(
                device.id, since: moment(0), reason: "stolen", actor: "alice")
            #expect(all?.affected == DeviceTally.countMax)
            let plan = try await database.plan(of: Statements.affectedCount, "'\(device.id)', 100")
            let counts = plan.matches(of: /actual rows=(\d+)/).compactMap { Int($0.1) }
            #expect(counts.max() == 100, "\(plan)")
        }
    }

    @Test(arguments: [(0, 5), (3, 3), (9, 0)])
    func `a compromise's count is exact below it, over every registration of the key`(since: Int, count: Int)
        async throws
    {
        try await withPostgresStore { store, _ async throws in
            let unverified = try await store.registered(level: .unverified)
            let early = (1...2).map { ExaminedCapture.sample(unverified, counter: $0, receivedAt: moment(Int($0))) }
            _ = try await store.settle(early, policy: .strict)
            let attested = DeviceRegistration.sample(at: moment(3))
            #expect(try await store.register(attested) == .created)
            let late = (3...5).map { ExaminedCapture.sample(attested.device, counter: $0, receivedAt: moment(Int($0))) }
            let rejected = ExaminedCapture.sample(
                attested.device, counter: 9, rejection: .signatureInvalid, receivedAt: moment(6))
            _ = try await store.settle(late + [rejected], policy: .strict)
            for device in [unverified, attested.device] {
                let marked = try await store.compromise(
                    device.id, since: moment(since), reason: "stolen", actor: "alice")
                #expect(marked?.affected == count)
            }
        }
    }

    @Test func `a compromise's count is missing where it takes too long, and the compromise is noted all the same`()
        async throws
    {
        try await withPostgresStore { store, client async throws in
            let device = try await store.registered()
            let noted = try await client.withTransaction { connection throws(PostgresError) in
                // Somebody rebuilds the table: the count waits for that until its time is over.
                try await connection.executeScript(
                    """
                    SET LOCAL idle_in_transaction_session_timeout = 0;
                    LOCK TABLE captures IN ACCESS EXCLUSIVE MODE
                    """)
                do throws(StoreError) {
                    return try await store.compromise(
                        device.id, since: moment(1), reason: "stolen", actor: "alice")
                } catch {
                    throw PostgresError(.decoding, "\(error)")
                }
            }
            #expect(noted == NotedCompromise(affected: nil))
            #expect(try await store.record(of: device.id)?.compromise?.since == moment(1))
            #expect(try await store.devices([device.id])[device.id]?.revokedAt == moment(1))
        }
    }
}
