import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("Plans where few captures are rejected", .timeLimit(.minutes(3)))
struct RareRejectionPlanTests {
    /// As where 3 in 10,000 are rejected, statistics that a sample of the table has made tell of none.
    @Test func `the rejected captures of a device are counted by its index, though statistics know of none`()
        async throws
    {
        let database = try await MigratedDatabase()
        try await database.psql(Self.results("verified", "NULL", "high", count: 20_000))
        try await database.psql("ANALYZE captures")
        // Too few for another ANALYZE by autovacuum.
        try await database.psql(Self.results("rejected", "'SIGNATURE_INVALID'", "none", count: 600))
        for mode in ["force_generic_plan", "force_custom_plan"] {
            let plan = try await database.plan(
                of: Statements.deviceTally, "'00000000-0000-4000-8000-000000000007', '-infinity', 10000",
                "plan_cache_mode = \(mode)")
            #expect(plan.contains("captures_by_device"), "\(mode):\n\(plan)")
            #expect(!plan.contains(/Rows Removed by Filter: [1-9]/), "\(mode):\n\(plan)")
        }
    }

    /// Results of 300 devices in turn.
    private static func results(_ verdict: String, _ reason: String, _ confidence: String, count: Int) -> String {
        """
        INSERT INTO captures (
            id, device_id, key_id, verdict, reason, confidence, counter, counter_policy, binding, photo_digest,
            depth_digest, metadata_digest, client_data_hash, photo_bytes, depth_bytes, assertion, metadata, checks,
            attempts, redriven, level, received_at, verified_at, settled_at, processor_version)
        SELECT gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad((n % 300)::text, 12, '0'))::uuid,
            sha256((n % 300)::text::bytea), '\(verdict)', \(reason), '\(confidence)', n, 'strict', 'concat-v1',
            sha256(n::text::bytea), sha256(''), sha256(''), sha256(''), 1, 1, '', '',
            '{"counter": {"outcome": "pass"}}', 1, false, 'secure_enclave',
            timestamptz '2026-01-01' + n * interval '4 seconds', now(), now(), '0'
        FROM generate_series(1, \(count)) AS n
        """
    }
}
