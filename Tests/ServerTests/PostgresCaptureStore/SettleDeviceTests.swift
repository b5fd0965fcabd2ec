import CaptureModel
import CaptureStore
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
