import CaptureModel
import CaptureStore
import Foundation
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// The record's clock was an hour ahead when a row was written, and is right again.
@Suite("The time of a row that was written under a clock that was ahead", .timeLimit(.minutes(3)))
struct RowTimeTests {
    private static let now = Timestamp(Date())

    /// Settles the capture of such a row, whose device was revoked ten minutes ago.
    private static func withResult(
        receivedAt received: Timestamp, _ body: (ProvenanceResult) -> Void
    ) async throws {
        try await withPostgresStore { store, client async throws in
            let registration = DeviceRegistration.sample(at: now.advanced(by: .seconds(-9000)))
            let device = registration.device
            #expect(try await store.register(registration) == .created)
            var maker = SubmissionMaker(seed: 24)
            let upload = maker.submission(of: device.id, receivedAt: received)
            #expect(try await PostgresIntakeLedger(client: client).record([upload]) == [.recorded])
            try await client.executeScript("UPDATE intake SET recorded_at = recorded_at + interval '1 hour'")
            let revokedAt = now.advanced(by: .seconds(-600))
            #expect(try await store.revoke(device.id, at: revokedAt, reason: "lost", actor: "alice"))
            let capture = ExaminedCapture.sample(device, counter: 1, upload: upload, receivedAt: received)
            _ = try await store.settle([capture], policy: .strict)
            body(try #require(try await store.results(of: [upload.id])[upload.id]))
        }
    }

    @Test func `what was received before a revocation stays valid`() async throws {
        let received = Self.now.advanced(by: .seconds(-1200))
        try await Self.withResult(receivedAt: received) { result in
            #expect(result.reason == nil && result.receivedAt == received)
        }
    }

    @Test(arguments: [-300, 3600])
    func `what was received after a revocation is refused, and was not received after it was settled`(
        _ seconds: Int
    ) async throws {
        try await Self.withResult(receivedAt: Self.now.advanced(by: .seconds(seconds))) { result in
            #expect(result.reason == .deviceRevoked && result.receivedAt <= result.settledAt)
        }
    }
}
