import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// Whoever may insert rows gives them the times of his choice.
@Suite("What is told of a result is not changed by rows that are inserted afterwards", .timeLimit(.minutes(3)))
struct BackdatedEvidenceTests {
    private static let begin = PostgresStatement("test_begin", "BEGIN")
    private static let rollback = PostgresStatement("test_rollback", "ROLLBACK")
    private static let lockKeys = PostgresStatement(
        "test_lock_keys", "SELECT key_id FROM counters FOR NO KEY UPDATE NOWAIT")

    private static let attested = PostgresStatement(
        "test_attested",
        """
        INSERT INTO attestations (
            device_id, attested_at, kept_at, attestation_object, client_data_hash, certificate_chain, trust_root, model)
        SELECT id, now() - interval '1 day', now() - interval '1 day', '\\x01', '\\x02', '{}', trust_root, model
        FROM devices
        """)
    private static let noted = PostgresStatement(
        "test_noted",
        """
        INSERT INTO risks (device_id, noted_at, metric, metric_at)
        SELECT id, now() - interval '1 day', 99, now() - interval '1 day' FROM devices
        """)

    @Test func `a later attestation or risk counts from when it is inserted, whatever time it has`() async throws {
        try await withPostgresStore { store, client async throws in
            let device = try await store.registered()
            let captures = [1, 2].map { ExaminedCapture.sample(device, counter: $0) }
            _ = try await store.settle([captures[0]], policy: .strict)
            for statement in [Self.attested, Self.noted] { _ = try await client.execute(statement) }
            _ = try await store.settle([captures[1]], policy: .strict)

            let before = try #require(try await store.evidence(of: captures[0].job.id))
            #expect(before.laterAttestation == nil && before.result.risk == nil)
            let after = try #require(try await store.evidence(of: captures[1].job.id))
            #expect(after.laterAttestation?.attestationObject == [1] && after.result.risk?.metric == 99)
        }
    }

    /// Else a result could be settled, and told, between the time of an attestation and its commit.
    @Test func `no result of the key is settled while an attestation is inserted`() async throws {
        try await withPostgresStore { store, client async throws in
            _ = try await store.registered()
            let refusal = try await client.withConnection { connection throws(PostgresError) -> PostgresError? in
                _ = try await connection.execute(Self.begin)
                _ = try await connection.execute(Self.attested)
                var refusal: PostgresError?
                do throws(PostgresError) {
                    _ = try await client.execute(Self.lockKeys)
                } catch {
                    refusal = error
                }
                _ = try await connection.execute(Self.rollback)
                return refusal
            }
            #expect(refusal?.sqlState == "55P03", "\(refusal as Any)")
            #expect(try await client.execute(Self.lockKeys).count == 1)
        }
    }
}
