import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import Testing

@Suite("A verdict that its reason does not fit", .timeLimit(.minutes(2)))
struct MisfitDecisionTests {
    /// The constraints of the schema keep both from happening.
    private static let damage = """
        ALTER TABLE captures DISABLE TRIGGER captures_kept;
        ALTER TABLE captures DROP CONSTRAINT captures_verified;
        ALTER TABLE captures DROP CONSTRAINT captures_rejected;
        UPDATE captures SET reason = CASE verdict WHEN 'verified' THEN 'SIGNATURE_INVALID' END
        """

    @Test(arguments: [nil, Reason.signatureInvalid])
    func `a verified capture with a reason, and a rejected one without, is an answer that cannot be read`(
        rejection: Reason?
    ) async throws {
        try await withPostgresStore { store, client async throws in
            let capture = ExaminedCapture.sample(try await store.registered(), counter: 5, rejection: rejection)
            _ = try await store.settle([capture], policy: .strict)
            try await client.executeScript(Self.damage)
            await #expect(throws: StoreError(.malformedRow, "")) {
                _ = try await store.settle([capture], policy: .strict)
            }
        }
    }
}
