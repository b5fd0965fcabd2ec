import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import Testing

@Suite("Devices when settling, in every store", .timeLimit(.minutes(3)))
struct SettleDeviceTests {
    @Test(arguments: StoreKind.allCases)
    func `a device that is unknown is rejected without a key`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let neverRegistered = DeviceRegistration.sample(key: 9).device
            let batch: [ExaminedCapture] = [
                .sample(nil, counter: nil, rejection: .deviceUnknown), .sample(neverRegistered, counter: 3),
            ]
            #expect(try await store.settle(batch, policy: .strict).map(\.reason) == [.deviceUnknown, .deviceUnknown])
            let results = try await store.results(of: batch.map(\.job.id))
            #expect(results.count == 2)
            #expect(results.values.allSatisfy { $0.keyID == nil && $0.attestationLevel == .unverified })
            #expect(
                results[batch[1].job.id]?.checks
                    == [
                        Check(.device, .fail, .deviceUnknown), Check(.assertion, .pass),
                        Check(.counter, .unavailable, .notEvaluated), Check(.photoHash, .unavailable, .notEvaluated),
                    ])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a revoked device's captures count until the moment of revocation`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            #expect(try await store.revoke(device.id, at: moment(20), reason: "lost", actor: "operator"))
            // The worker read the device before it was revoked: the transaction decides all the same.
            let batch: [ExaminedCapture] = [
                .sample(device, counter: 1, receivedAt: moment(19)),
                .sample(device, counter: 3, receivedAt: moment(20)),
                .sample(device, counter: 2, receivedAt: moment(19)),
            ]
            #expect(try await store.settle(batch, policy: .strict).map(\.reason) == [nil, .deviceRevoked, nil])
            let checks = try await store.results(of: [batch[1].job.id])[batch[1].job.id]?.checks
            #expect(checks?.first == Check(.device, .fail, .deviceRevoked))
        }
    }

    /// The record's clock was an hour ahead when the device was revoked or replaced, and is right again.
    @Test(arguments: [false, true])
    func `a revocation that lies ahead of the record's clock counts as made`(isReplaced: Bool) async throws {
        try await withPostgresStore { store, client async throws in
            let device = try await store.registered(level: .unverified)
            let other = try await store.registered(key: 2)
            if isReplaced {
                #expect(try await store.register(.sample(at: moment(20))) == .created)
            } else {
                #expect(try await store.revoke(device.id, at: nil, reason: "lost", actor: "operator"))
            }
            #expect(try await store.devicesEndingAhead(limit: 9).isEmpty)
            for statement in Self.anHourAhead { _ = try await client.execute(statement) }
            #expect(try await store.devicesEndingAhead(limit: 9) == [device.id])
            let now = try await store.serverTime()
            let batch: [ExaminedCapture] = [
                .sample(device, counter: 1, receivedAt: now), .sample(other, counter: 1, receivedAt: now),
            ]
            #expect(try await store.settle(batch, policy: .strict).map(\.reason) == [.deviceRevoked, nil])

            // As the doctor advises: of two moments the earlier one holds.
            #expect(try await store.revoke(device.id, at: nil, reason: "lost", actor: "operator"))
            #expect(try await store.devicesEndingAhead(limit: 9).isEmpty)
            let early = ExaminedCapture.sample(device, counter: 3, receivedAt: moment(9))
            #expect(try await store.settle([early], policy: .strict).map(\.reason) == [nil])
        }
    }

    private static let anHourAhead = [
        PostgresStatement("test_unkept", "ALTER TABLE devices DISABLE TRIGGER devices_revocation_kept"),
        PostgresStatement("test_revoked", "UPDATE devices SET revoked_at = revoked_at + interval '1 hour'"),
        PostgresStatement("test_superseded", "UPDATE devices SET superseded_at = superseded_at + interval '1 hour'"),
    ]

    @Test(arguments: StoreKind.allCases)
    func `a revoked device's captures are rejected for that, whatever else is wrong`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered()
            #expect(try await store.revoke(device.id, at: moment(20), reason: "lost", actor: "operator"))
            let batch: [ExaminedCapture] = [19, 20].map {
                .sample(device, counter: nil, rejection: .signatureInvalid, receivedAt: moment($0))
            }
            let reasons = try await store.settle(batch, policy: .strict).map(\.reason)
            #expect(reasons == [.signatureInvalid, .deviceRevoked])
            #expect(
                try await store.results(of: [batch[1].job.id])[batch[1].job.id]?.checks
                    == [
                        Check(.device, .fail, .deviceRevoked), Check(.assertion, .fail, .signatureInvalid),
                        Check(.counter, .unavailable, .notEvaluated), Check(.photoHash, .unavailable, .notEvaluated),
                    ])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `nobody's key never gets more than medium`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered(level: .unverified)
            let capture = ExaminedCapture.sample(device, counter: 1, confidence: .high)
            _ = try await store.settle([capture], policy: .strict)
            #expect(try await store.results(of: [capture.job.id])[capture.job.id]?.confidence == .medium)
        }
    }
}
