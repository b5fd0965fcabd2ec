import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import Testing

@Suite(.timeLimit(.minutes(3))) struct `What becomes of devices` {
    private typealias Listed = (device: DeviceID?, reasons: [Reason])

    @Test func `a compromised key's verified results since then are marked and listed, and nothing later is taken`()
        async throws
    {
        try await withPostgresStore { store, _ async throws in
            let device = try await store.registered()
            let early = (1...2).map { ExaminedCapture.sample(device, counter: $0, receivedAt: moment(Int($0))) }
            let late = (3...5).map { ExaminedCapture.sample(device, counter: $0, receivedAt: moment(Int($0) * 10)) }
            let rejected = ExaminedCapture.sample(
                device, counter: 9, rejection: .signatureInvalid, receivedAt: moment(60))
            _ = try await store.settle(early + late + [rejected], policy: .strict)

            let count = try await store.compromise(
                device.id, since: moment(30), reason: "phone stolen", actor: "alice")
            #expect(count?.affected == 3)
            let first = try await store.affected(of: device.id, after: 0, limit: 2)
            #expect(first.map(\.counter) == [3, 4])
            let rest = try await store.affected(of: device.id, after: 4, limit: 2)
            #expect(rest.map(\.capture) == [late[2].job.id] && rest.map(\.receivedAt) == [moment(50)])

            let results = try await store.results(of: (early + late).map(\.job.id))
            #expect(early.allSatisfy { results[$0.job.id]?.compromisedSince == nil })
            #expect(late.allSatisfy { results[$0.job.id]?.compromisedSince == moment(30) })
            #expect(results.values.allSatisfy { $0.verdict == .verified }, "a verdict is for good")
            var filter = CaptureFilter()
            for (device, reasons) in [(nil, []), (device.id, []), (device.id, [.signatureInvalid])] as [Listed] {
                (filter.device, filter.reasons) = (device, reasons)
                let listed = try await store.list(filter, after: nil, limit: 10)
                #expect(listed.count == (reasons.isEmpty ? 6 : 1))
                for capture in listed {
                    let isMarked = capture.receivedAt >= moment(30)
                    #expect(capture.result?.compromisedSince == (isMarked ? moment(30) : nil))
                }
            }
            (filter.device, filter.reasons) = (nil, [.signatureInvalid])
            let byReason = try await store.list(filter, after: nil, limit: 10)
            #expect(byReason.map { $0.result?.compromisedSince } == [moment(30)])
            #expect(try await store.listDevices(after: nil, limit: 10).map(\.compromisedSince) == [moment(30)])

            let after = try await store.settle([.sample(device, counter: 10, receivedAt: moment(31))], policy: .strict)
            let before = try await store.settle([.sample(device, counter: 11, receivedAt: moment(29))], policy: .strict)
            #expect(after.map(\.reason) == [.deviceRevoked] && before.map(\.reason) == [nil])
        }
    }

    /// An unverified registration of a key is followed by an attested one: both are of whoever has the key.
    @Test func `a compromise concerns every registration of the key, and the audit has each that is changed`()
        async throws
    {
        try await withPostgresStore { store, _ async throws in
            let first = DeviceRegistration.sample(level: .unverified)
            let second = DeviceRegistration.sample(at: moment(25))
            let other = try await store.registered(key: 2)
            #expect(try await store.register(first) == .created)
            let early = ExaminedCapture.sample(first.device, counter: 1, receivedAt: moment(20))
            _ = try await store.settle([early, .sample(other, counter: 1, receivedAt: moment(20))], policy: .strict)
            #expect(try await store.register(second) == .created)
            let late = (2...3).map { ExaminedCapture.sample(second.device, counter: $0, receivedAt: moment(30)) }
            _ = try await store.settle(late, policy: .strict)

            for device in [first.device.id, second.device.id] {
                let tally = try await store.tally(ofKeyOf: device, from: moment(15))
                #expect(tally == DeviceTally(verified: 3, rejected: 0, reasons: [:], open: 0))
            }
            #expect(try await store.tally(ofKeyOf: first.device.id, from: moment(25)).verified == 2)
            let count = try await store.compromise(
                second.device.id, since: moment(15), reason: "stolen", actor: "alice")
            #expect(count?.affected == 3)
            func noted(_ device: DeviceID) async throws -> Int {
                try await store.auditTrail(of: "\(device)", limit: 10).count { $0.action == "device.compromise" }
            }
            #expect(try await noted(first.device.id) == 1)
            #expect(try await noted(second.device.id) == 1)
            #expect(try await noted(other.id) == 0)
            // A later moment changes nothing; the audit of the named device alone notes it.
            _ = try await store.compromise(
                second.device.id, since: moment(16), reason: "again", actor: "alice")
            #expect(try await noted(first.device.id) == 1)
            #expect(try await noted(second.device.id) == 2)
        }
    }

    @Test func `of two moments the earlier one holds, a revocation's as well`() async throws {
        try await withPostgresStore { store, _ async throws in
            let device = try await store.registered()
            #expect(try await store.revoke(device.id, at: moment(20), reason: "lost", actor: "bob"))
            for (since, expected) in [(30, 30), (40, 30), (10, 10)] {
                _ = try await store.compromise(
                    device.id, since: moment(since), reason: "since \(since)", actor: "alice")
                let compromise = try #require(try await store.compromise(of: device.id))
                #expect(compromise == Compromise(since: moment(expected), reason: "since \(expected)", actor: "alice"))
                let record = try #require(try await store.record(of: device.id))
                #expect(record.compromise == compromise)
                // A revocation that was earlier keeps whose it is, and why.
                let isRevocations = expected > 20
                #expect(record.registration.device.revokedAt == moment(isRevocations ? 20 : 10))
                #expect(record.revokedReason == (isRevocations ? "lost" : "since 10"))
                #expect(record.revokedBy == (isRevocations ? "bob" : "alice"))
            }
            let trail = try await store.auditTrail(of: "\(device.id)", limit: 10)
            #expect(trail.filter { $0.action == "device.compromise" }.count == 3)
            #expect(trail.first?.details["since"] == "2026-09-21T14:13:30.000000Z")
            let nobody = DeviceID(UUID())
            #expect(
                try await store.compromise(nobody, since: moment(1), reason: "x", actor: "y") == nil)
            #expect(try await store.compromise(of: nobody) == nil)
            #expect(try await store.affected(of: nobody, after: 0, limit: 10).isEmpty)
        }
    }

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
            // What earlier releases kept where a certificate names no version.
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
            device: Device(
                id: device.id, keyID: device.keyID, key: device.key, platform: device.platform,
                model: model ?? device.model, hasLidar: device.hasLidar, revokedAt: nil, registeredAt: moment),
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
            device: Device(
                id: id, keyID: device.keyID, key: device.key, platform: device.platform, model: device.model,
                hasLidar: device.hasLidar, revokedAt: nil, registeredAt: device.registeredAt),
            attestationObject: [9], clientDataHash: [9], certificateChain: [], receipt: nil, osVersion: nil,
            validationCategory: nil, bundleVersion: nil)
    }
}
