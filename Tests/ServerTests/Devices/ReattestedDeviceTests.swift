import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct `Devices that are attested again` {
    @Test func `a key that is attested again keeps its counters, and what has changed is noted`() async throws {
        try await withPostgresStore { store, _ async throws in
            let registration = DeviceRegistration.sample()
            let device = registration.device
            #expect(try await store.register(registration) == .created)
            #expect(try await store.reasons(device, [5, 6]) == [nil, nil])
            #expect(try await store.advanceRequestCounter(of: device.keyID, to: 9))

            let again = registration.attestedAgain(at: moment(50), osVersion: "19.0", receipt: [7, 7])
            let outcome = try await store.reattest(again, actor: "gateway")
            #expect(outcome == .kept([Drift(fact: .osVersion, before: "18.1", after: "19.0")]))
            let third = registration.attestedAgain(at: moment(60), osVersion: "19.0", model: "iPhone18,1", receipt: [8])
            #expect(
                try await store.reattest(third, actor: "gateway")
                    == .kept([Drift(fact: .model, before: "iPhone16,1", after: "iPhone18,1")]))

            let known = try await store.devices([device.id])[device.id]
            #expect(known?.latestOSVersion == "19.0", "the rollout judges by the latest attestation")
            let record = try #require(try await store.record(of: device.id))
            #expect(record.captureCounter == 6 && record.requestCounter == 9)
            #expect(try await store.reasons(device, [5, 6, 7]) == [.counterReplay, .counterReplay, nil])
            #expect(try await store.attestations(of: device.id).entries.map(\.osVersion) == ["18.1", "19.0", "19.0"])
            let standing = try #require(try await store.receipt(of: device.id))
            #expect(standing.outcome == .waiting && standing.receivedAt == moment(60))
            let trail = try await store.auditTrail(of: "\(device.id)", limit: 1)
            #expect(
                trail.first?.action == "device.reattest" && trail.first?.details["model"] == "iPhone16,1 → iPhone18,1")
        }
    }

    @Test func `an attestation that names no version of the system hides none, and is no drift`() async throws {
        try await withPostgresStore { store, client async throws in
            let registration = DeviceRegistration.sample()
            let id = registration.device.id
            #expect(try await store.register(registration) == .created)
            let named = registration.attestedAgain(at: moment(50), osVersion: "26.2", receipt: [7])
            #expect(
                try await store.reattest(named, actor: "gateway")
                    == .kept([Drift(fact: .osVersion, before: "18.1", after: "26.2")]))
            let silent = registration.attestedAgain(at: moment(60), osVersion: nil, receipt: [8])
            #expect(try await store.reattest(silent, actor: "gateway") == .kept([]))
            // An empty text names none either.
            let empty = registration.attestedAgain(at: moment(70), osVersion: "", receipt: [9])
            _ = try await store.reattest(empty, actor: "gateway")
            #expect(try await latest(of: id, in: store, client) == ["26.2"])
            #expect(try await store.attestations(of: id).entries.map(\.osVersion) == ["18.1", "26.2", nil, ""])
            let newer = registration.attestedAgain(at: moment(80), osVersion: "26.3", receipt: [9])
            #expect(
                try await store.reattest(newer, actor: "gateway")
                    == .kept([Drift(fact: .osVersion, before: "26.2", after: "26.3")]))
            #expect(try await latest(of: id, in: store, client) == ["26.3"])
        }
    }

    /// The latest version by each of the statements that read a device; one of them claims its receipt.
    private func latest(
        of id: DeviceID, in store: PostgresCaptureStore, _ client: PostgresClient
    ) async throws -> Set<String?> {
        _ = try await client.execute(PostgresStatement("test_receipts_due", "UPDATE receipts SET next_at = 'epoch'"))
        let claimed = try await store.claimReceipt(lease: .zero, token: 1)?.device
        return [
            try await store.devices([id])[id]?.latestOSVersion,
            try await store.record(of: id)?.registration.device.latestOSVersion,
            try await store.listDevices(after: nil, limit: 1).first?.device.latestOSVersion, claimed?.latestOSVersion,
        ]
    }

    @Test func `what any attestation says of the app is known wherever a device is judged`() async throws {
        try await withPostgresStore { store, _ async throws in
            let registration = DeviceRegistration.sample().saying("1314", 4)
            let id = registration.device.id
            #expect(try await store.register(registration) == .created)
            let alone = AttestedApp(bundleVersion: "1314", validationCategory: 4)
            #expect(try await store.devices([id])[id]?.attestedApp == alone)
            for (seconds, version, category) in [(50, "12", 2), (60, nil, nil), (70, "1314", 4)] as [Said] {
                let again = registration.attestedAgain(at: moment(seconds), osVersion: "27.0", receipt: [7])
                guard case .kept = try await store.reattest(again.saying(version, category), actor: "gateway") else {
                    Issue.record("the attestation is not kept")
                    return
                }
            }
            let all = AttestedApp(bundleVersions: ["12", "1314"], validationCategories: [2, 4])
            #expect(try await store.devices([id])[id]?.attestedApp == all)
            #expect(try await store.devices([id, DeviceID(UUID())])[id]?.attestedApp == all)
            #expect(try await store.record(of: id)?.registration.device.attestedApp == all)
        }
    }

    /// Captures that were signed before the later attestation may come after it.
    @Test func `what a registration does not say of its app no later attestation says for it`() async throws {
        try await withPostgresStore { store, _ async throws in
            let registration = DeviceRegistration.sample().saying(nil, 4)
            let id = registration.device.id
            #expect(try await store.register(registration) == .created)
            let again = registration.attestedAgain(at: moment(50), osVersion: "27.0", receipt: [7])
            guard case .kept = try await store.reattest(again.saying("1400", 2), actor: "gateway") else {
                Issue.record("the attestation is not kept")
                return
            }
            let said = AttestedApp(bundleVersions: [], validationCategories: [2, 4])
            #expect(try await store.devices([id])[id]?.attestedApp == said)
            #expect(try await store.record(of: id)?.registration.device.attestedApp == said)
        }
    }

    private typealias Said = (seconds: Int, version: String?, category: Int?)

    @Test func `only an attested device in force is attested again, and only with its own key`() async throws {
        try await withPostgresStore { store, _ async throws in
            let unverified = DeviceRegistration.sample(key: 1, level: .unverified)
            let revoked = DeviceRegistration.sample(key: 2)
            let other = DeviceRegistration.sample(key: 3)
            for registration in [unverified, revoked, other] { _ = try await store.register(registration) }
            _ = try await store.revoke(revoked.device.id, at: moment(10), reason: "lost", actor: "bob")
            let attested = DeviceRegistration.sample(key: 1, at: moment(50))
            #expect(try await store.reattest(attested.of(unverified.device.id), actor: "x") == .notAttested)
            #expect(try await store.reattest(attested.of(other.device.id), actor: "x") == .notAttested)
            #expect(try await store.reattest(attested.of(DeviceID(UUID())), actor: "x") == .notAttested)
            let late = revoked.attestedAgain(at: moment(50), osVersion: "18.1", receipt: [1])
            #expect(try await store.reattest(late, actor: "x") == .revoked)
        }
    }
}

extension PostgresCaptureStore {
    /// Where no root is kept.
    fileprivate func reattest(
        _ attestation: DeviceRegistration, actor: String
    ) async throws(StoreError) -> ReattestationOutcome {
        try await reattest(attestation, keeping: [], actor: actor)
    }
}

extension DeviceRegistration {
    /// The same key with a later attestation.
    func attestedAgain(
        at moment: Timestamp, osVersion: String?, model: String? = nil, receipt: [UInt8]
    ) -> DeviceRegistration {
        DeviceRegistration(
            device: .phone(device.key, id: device.id, model: model ?? device.model, registeredAt: moment),
            attestationObject: [9], clientDataHash: [9], certificateChain: [[1]], receipt: receipt,
            osVersion: osVersion, validationCategory: validationCategory, bundleVersion: bundleVersion)
    }

    /// The same attestation with an app that says something else.
    fileprivate func saying(_ version: String?, _ category: Int?) -> DeviceRegistration {
        DeviceRegistration(
            device: device, attestationObject: attestationObject, clientDataHash: clientDataHash,
            certificateChain: certificateChain, receipt: receipt, osVersion: osVersion, validationCategory: category,
            bundleVersion: version)
    }

    /// The same attestation in the name of another device.
    fileprivate func of(_ id: DeviceID) -> DeviceRegistration {
        DeviceRegistration(
            device: .phone(device.key, id: id, model: device.model, registeredAt: device.registeredAt),
            attestationObject: [9], clientDataHash: [9])
    }
}
