import CaptureModel
import CaptureStore
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("Replays over other content, in every store", .timeLimit(.minutes(3)))
struct CounterConflictTests {
    @Test(arguments: StoreKind.allCases)
    func `a replay of an attested key over other content is a conflict, the same content again is none`(
        _ kind: StoreKind
    ) async throws {
        try await kind.withStore { store async throws in
            let attested = try await store.registered(key: 1)
            let software = try await store.registered(key: 2, level: .unverified)
            let other = SHA256Digest.hash([5])
            let batch: [ExaminedCapture] = [
                .sample(attested, counter: 5), .sample(attested, counter: 5),
                .sample(attested, counter: 5, clientDataHash: other),
                .sample(attested, counter: 4, clientDataHash: other),
                .sample(attested, counter: nil, rejection: .signatureInvalid, clientDataHash: other),
                .sample(software, counter: 5), .sample(software, counter: 5, clientDataHash: other),
            ]
            let reasons = try await store.settle(batch, policy: .strict).map(\.reason)
            #expect(
                reasons == [
                    nil, .counterReplay, .counterReplay, .counterStale, .signatureInvalid, nil, .counterReplay,
                ])
            let captures = batch.map(\.job.id)
            let conflicts = try await store.counterConflicts(of: captures)
            #expect(conflicts == [CounterConflict(capture: captures[2], verified: captures[0])])
            let others = try await store.counterConflicts(of: [captures[0], captures[1]])
            #expect(others.isEmpty)
            let none = try await store.counterConflicts(of: [])
            #expect(none.isEmpty)
        }
    }

    /// The verified capture is found whenever it was settled.
    @Test(arguments: StoreKind.allCases)
    func `a conflict with the verified capture of an earlier batch is found`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            let (first, second) = (
                ExaminedCapture.sample(device, counter: 7),
                ExaminedCapture.sample(device, counter: 7, clientDataHash: .hash([5]))
            )
            _ = try await store.settle([first, .sample(device, counter: 8)], policy: .strict)
            _ = try await store.settle([second], policy: .strict)
            let conflicts = try await store.counterConflicts(of: [second.job.id])
            #expect(conflicts == [CounterConflict(capture: second.job.id, verified: first.job.id)])
        }
    }

    /// By the index by reason, all of them were read for each batch with a replay.
    @Test func `replays are looked up one by one, however many others there are`() async throws {
        let database = try await MigratedDatabase()
        let plan = try await database.psql(
            """
            \(Self.captures); ANALYZE captures;
            SET plan_cache_mode = force_generic_plan;
            PREPARE question AS \(Statements.counterConflicts.sql);
            EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE question (ARRAY[
                md5('1')::uuid, md5('2')::uuid])
            """)
        #expect(plan.contains("captures_pkey") && plan.contains("captures_counter_used"), "\(plan)")
        // What an index is read through without a hit is no row of a plan: only its name tells.
        #expect(!plan.contains("captures_by_reason") && !plan.contains("Seq Scan"), "\(plan)")
    }

    /// Replays among many more verified captures of one key, in no order of their ids.
    private static let captures = """
        INSERT INTO captures (
            id, device_id, key_id, verdict, reason, confidence, counter, counter_policy, binding, photo_digest,
            depth_digest, metadata_digest, client_data_hash, photo_bytes, depth_bytes, assertion, metadata, checks,
            attempts, redriven, level, received_at, verified_at, settled_at, processor_version)
        SELECT md5(n::text)::uuid, gen_random_uuid(), sha256('key'),
            CASE WHEN n > 500 THEN 'verified' ELSE 'rejected' END, CASE WHEN n <= 500 THEN 'COUNTER_REPLAY' END,
            CASE WHEN n > 500 THEN 'high' ELSE 'none' END, n, 'strict', 'concat-v1', sha256(''), sha256(''), sha256(''),
            sha256(''), 1, 1, '', '', '{"counter": {"outcome": "pass"}}', 1, false,
            'secure_enclave', now(), now(), now(), '0'
        FROM generate_series(1, 20000) AS n
        """
}
