import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite("Registration, in every store", .timeLimit(.minutes(3)))
struct RegisteredDeviceTests {
    @Test(arguments: StoreKind.allCases, AttestationLevel.allCases)
    func `a device is read back as registered, evidence included`(
        _ kind: StoreKind, _ level: AttestationLevel
    ) async throws {
        try await kind.withStore { store async throws in
            let registration = DeviceRegistration.sample(level: level)
            #expect(try await store.register(registration) == .created)
            let device = registration.device
            #expect(try await store.devices([device.id, DeviceID(UUID())]) == [device.id: device])
            let record = DeviceRecord(
                registration: registration, captureCounter: 0, requestCounter: 0, lastSeen: device.registeredAt,
                revokedReason: nil, revokedBy: nil, supersededBy: nil)
            #expect(try await store.record(of: device.id) == record)
            #expect(try await store.record(of: DeviceID(UUID())) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a plain key without evidence is a device too`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let key = [UInt8](repeating: 7, count: 32)
            let device = Device.phone(
                .unverified(.ed25519, publicKey: key, reason: nil), model: "", hasLidar: false, registeredAt: moment(0))
            let registration = DeviceRegistration(device: device)
            #expect(try await store.register(registration) == .created)
            #expect(try await store.record(of: device.id)?.registration == registration)
        }
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (AttestationLevel.secureEnclave, AttestationLevel.secureEnclave, RegistrationOutcome.conflict),
            (.secureEnclave, .unverified, .conflict), (.unverified, .unverified, .conflict),
            (.unverified, .secureEnclave, .created),
        ])
    func `a held key is given only to a verified device, and only by an unverified one`(
        _ kind: StoreKind, _ levels: (AttestationLevel, AttestationLevel, RegistrationOutcome)
    ) async throws {
        try await kind.withStore { store async throws in
            let first = DeviceRegistration.sample(level: levels.0)
            let second = DeviceRegistration.sample(level: levels.1, at: moment(5))
            #expect(try await store.register(first) == .created)
            #expect(try await store.register(second) == levels.2)
            let isReplaced = levels.2 == .created
            let isThere = try await store.devices([second.device.id])[second.device.id] != nil
            #expect(isThere == isReplaced)
            let record = try #require(try await store.record(of: first.device.id))
            #expect(record.supersededBy == (isReplaced ? second.device.id : nil))
            #expect((record.registration.device.revokedAt != nil) == isReplaced)
            // Once the key is verified nobody else gets it.
            if isReplaced { #expect(try await store.register(.sample()) == .conflict) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `asking again for the same device is no conflict`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let registration = DeviceRegistration.sample()
            #expect(try await store.register(registration) == .created)
            #expect(try await store.register(registration) == .created)
            #expect(try await store.listDevices(after: nil, limit: 10).count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases, [nil, AttestationLevel.unverified])
    func `an id that is another's is a conflict, and the key stays with whoever has it`(
        _ kind: StoreKind, holder: AttestationLevel?
    ) async throws {
        try await kind.withStore { store async throws in
            let other = try await store.registered(key: 1)
            var held: Device?
            if let holder { held = try await store.registered(key: 2, level: holder) }
            #expect(try await store.register(.sample(key: 2, id: other.id, at: moment(5))) == .conflict)
            #expect(try await store.devices([other.id])[other.id] == other)
            if let held { #expect(try await store.devices([held.id])[held.id] == held) }
            #expect(try await store.listDevices(after: nil, limit: 10).count == (held == nil ? 1 : 2))
            #expect(try await store.register(.sample(key: 2, at: moment(6))) == .created)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a key's holder is the registration that no other has taken the place of`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let first = DeviceRegistration.sample(level: .unverified)
            #expect(try await store.holder(of: first.device.keyID) == nil)
            #expect(try await store.register(first) == .created)
            _ = try await store.registered(key: 2)
            #expect(try await store.holder(of: first.device.keyID)?.id == first.device.id)
            let second = DeviceRegistration.sample(at: moment(5))
            #expect(try await store.register(second) == .created)
            let holder = try #require(try await store.holder(of: first.device.keyID))
            #expect(holder.id == second.device.id && holder.level == .secureEnclave && holder.revokedAt == nil)
            #expect(holder.appID == second.device.appID && holder.environment == second.device.environment)
            #expect(holder.trustRoot == second.device.trustRoot)
            #expect(try await store.revoke(holder.id, at: moment(9), reason: "lost", actor: "op"))
            let revoked = try #require(try await store.holder(of: first.device.keyID))
            #expect(revoked.id == second.device.id && revoked.revokedAt == moment(9))
        }
    }

    @Test(arguments: StoreKind.allCases, AttestationLevel.allCases)
    func `the audit says which release has registered a device`(
        _ kind: StoreKind, _ level: AttestationLevel
    ) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered(level: level)
            let trail = try await store.auditTrail(of: "\(device.id)", limit: 10)
            #expect(trail.map(\.action) == ["device.register"])
            #expect(
                trail.first?.details == ["level": level.rawValue, "processor_version": ProcessorVersion.current])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `revocation sticks to the key`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let device = try await store.registered(level: .unverified)
            #expect(try await store.revoke(device.id, at: moment(1), reason: "abuse", actor: "op"))
            #expect(try await store.register(.sample()) == .conflict)
        }
    }

    /// Anybody can send an attestation that is none, or another key's, with somebody's key id.
    @Test(
        arguments: StoreKind.allCases,
        [false, true].flatMap { isRevoked in AttestationLevel.allCases.map { (isRevoked, $0) } })
    func `who has never proved the key gives way to who does, revoked or not`(
        _ kind: StoreKind, _ owner: (followsRevocation: Bool, level: AttestationLevel)
    ) async throws {
        let (isRevoked, level) = owner
        try await kind.withStore { store async throws in
            let squatter = DeviceRegistration.sample(level: .unverified, reason: "FORMAT_UNKNOWN")
            #expect(try await store.register(squatter) == .created)
            if isRevoked {
                #expect(try await store.revoke(squatter.device.id, at: moment(1), reason: "abuse", actor: "op"))
            }
            let other = DeviceRegistration.sample(level: .unverified, reason: "KEY_ID_MISMATCH", at: moment(2))
            #expect(try await store.register(other) == .conflict, "it proves no more")
            let owner = DeviceRegistration.sample(level: level, at: moment(5))
            #expect(try await store.register(owner) == .created)
            let record = try #require(try await store.record(of: squatter.device.id))
            #expect(record.supersededBy == owner.device.id && record.registration.device.revokedAt != nil)
            #expect(try await store.holder(of: owner.device.keyID)?.id == owner.device.id)
            #expect(try await store.devices([owner.device.id])[owner.device.id]?.revokedAt == nil)
        }
    }

    @Test func `a compromise sticks to the key, whoever is noted to have it`() async throws {
        try await withPostgresStore { store, _ async throws in
            let squatter = DeviceRegistration.sample(level: .unverified, reason: "KEY_ID_MISMATCH")
            #expect(try await store.register(squatter) == .created)
            _ = try await store.compromise(
                squatter.device.id, since: moment(1), reason: "stolen", actor: "op")
            #expect(try await store.register(.sample()) == .conflict)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `registering a key again never lowers its counters`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let first = try await store.registered(level: .unverified)
            #expect(try await store.reasons(first, [40]) == [nil])
            #expect(try await store.advanceRequestCounter(of: first.keyID, to: 41))
            let second = DeviceRegistration.sample(at: moment(20))
            #expect(try await store.register(second) == .created)
            #expect(try await store.captureCounter(of: second.device) == 40)
            #expect(try await store.reasons(second.device, [40, 39, 41]) == [.counterReplay, .counterStale, nil])
            #expect(try await store.advanceRequestCounter(of: first.keyID, to: 41) == false)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `devices are listed newest first, page by page`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            for key in 0..<7 as Range<UInt8> {
                // Some at the same moment: the order is total all the same.
                #expect(try await store.register(.sample(key: key, at: moment(Int(key) / 2))) == .created)
            }
            let all = try await store.listDevices(after: nil, limit: 100)
            #expect(all.count == 7)
            #expect(all.map(\.device.registeredAt) == all.map(\.device.registeredAt).sorted(by: >))
            var paged: [ListedDevice] = []
            while true {
                let page = try await store.listDevices(after: paged.last?.device.id, limit: 3)
                if page.isEmpty { break }
                paged += page
            }
            #expect(paged == all)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the audit gives back what was noted, whatever the words`(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let entry = AuditEntry(
                at: moment(1), actor: "O'Brien", action: "capture.redrive", subject: "x", details: ["q": "\"'; DROP\n"])
            try await store.recordAudit(entry)
            try await store.recordAudit(AuditEntry(at: moment(2), actor: "a", action: "b", subject: "y"))
            #expect(try await store.auditTrail(of: "x", limit: 5) == [entry])
        }
    }

    @Test func `two registrations of a key race and one wins`() async throws {
        try await withPostgresStore(connections: 8) { store, client async throws in
            for key in 0..<30 as Range<UInt8> {
                let outcomes = try await race(8) { _ in try await store.register(.sample(key: key)) }
                #expect(outcomes.filter { $0 == .created }.count == 1)
            }
            // Unverified and verified ones at once: the verified one has the key in the end, however they fell.
            for key in 30..<60 as Range<UInt8> {
                let outcomes = try await race(8) { racer in
                    try await store.register(.sample(key: key, level: racer == 3 ? .secureEnclave : .unverified))
                }
                #expect((1...2).contains(outcomes.filter { $0 == .created }.count))
            }
            let row = try await client.execute(Self.inForce).first
            #expect(try row?.int8("verified") == 60)
            let devices = try row?.int8("devices")
            #expect(try row?.int8("audited") == devices)
        }
    }

    private static let inForce = PostgresStatement(
        "test_in_force",
        """
        SELECT count(*) FILTER (WHERE superseded_by IS NULL AND level = 'secure_enclave') AS verified,
            count(*) AS devices, (SELECT count(*) FROM audit WHERE action = 'device.register') AS audited
        FROM devices
        """)
}
