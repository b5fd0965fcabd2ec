import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import Testing

/// While releases change, an older one meets what a newer one has settled.
@Suite("Results of a newer release", .timeLimit(.minutes(2)))
struct NewerReleaseTests {
    /// As a newer release would have written it; nobody changes results.
    private static func rewrite(_ capture: CaptureID) -> String {
        """
        ALTER TABLE captures DISABLE TRIGGER captures_kept;
        UPDATE captures
        SET reason = 'FUTURE_REASON', checks = jsonb_set(checks, '{assertion,reason}', '"FUTURE_REASON"')
        WHERE id = '\(capture)'
        """
    }
    private static let word = PostgresStatement("test_word", "SELECT reason FROM captures WHERE id = $1")

    @Test func `a reason that nobody knows here takes nothing from a result, and the record keeps its word`()
        async throws
    {
        try await withPostgresStore { store, client async throws in
            let device = try await store.registered()
            let batch = (0..<2).map { _ in
                ExaminedCapture.sample(device, counter: nil, rejection: .signatureInvalid)
            }
            let id = batch[0].job.id
            _ = try await store.settle(batch, policy: .strict)
            try await client.executeScript(Self.rewrite(id))

            let again = try await store.settle(batch, policy: .strict)
            #expect(again.map(\.verdict) == [.rejected, .rejected])
            #expect(again.map(\.reason) == [.reasonUnknown, .signatureInvalid])
            let result = try #require(try await store.results(of: [id])[id])
            #expect(result.verdict == .rejected && result.reason == .reasonUnknown)
            #expect(result.checks.contains(Check(.assertion, .fail, .reasonUnknown)))
            let listed = try await store.list(CaptureFilter(), after: nil, limit: 9)
            #expect(Set(listed.map { $0.result?.reason }) == [.reasonUnknown, .signatureInvalid])
            #expect(
                try await store.tally(of: device.id, from: moment(0))
                    == DeviceTally(
                        verified: 0, rejected: 2, reasons: [.reasonUnknown: 1, .signatureInvalid: 1], open: 0))
            let row = try #require(try await client.execute(Self.word, [.uuid(id.uuid)]).first)
            #expect(try row.text("reason") == "FUTURE_REASON")
        }
    }
}
