import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import Testing

/// What is read for each status and each upload has a plan that PostgreSQL keeps: planning costs several times the reading.
@Suite("Kept plans", .timeLimit(.minutes(3)))
struct KeptPlanTests {
    @Test func `one result and one device are read without planning each time`() async throws {
        try await withPostgresStore(connections: 1) { store, client async throws in
            let device = try await store.registered()
            let capture = ExaminedCapture.sample(device, counter: 1)
            _ = try await store.settle([capture], policy: .strict)
            for _ in 1...8 {
                #expect(try await store.results(of: [capture.job.id])[capture.job.id]?.verdict == .verified)
                #expect(try await store.devices([device.id])[device.id] == device)
            }
            // The first five are planned, to compare.
            let kept = try await client.execute(Self.plans).rows.map { row in
                "\(try row.text("name")): \(try row.int8("planned")) planned, \(try row.int8("kept")) not"
            }
            #expect(kept == ["capture_result: 5 planned, 3 not", "device_read_one: 5 planned, 3 not"])
        }
    }

    private static let plans = PostgresStatement(
        "test_plans",
        """
        SELECT name, custom_plans AS planned, generic_plans AS kept FROM pg_prepared_statements
        WHERE name IN ('capture_result', 'device_read_one') ORDER BY name
        """)
}
