import CaptureModel
import CaptureStore
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

/// A key that only an unverified device holds is attested, and an operator ends that device at the same moment.
@Suite("An operator and an attestation of one key", .timeLimit(.minutes(3)))
struct RegistryRaceTests {
    @Test(arguments: [false, true])
    func `a key is not attested while it is ended`(isCompromise: Bool) async throws {
        try await withPostgresStore(connections: 6) { store, client async throws in
            let held = try await store.registered(level: .unverified)
            let (isEnded, outcome) = try await overlap(client) {
                try await Self.end(held.id, isCompromise, in: store)
            } _: {
                try await store.register(.sample())
            }
            #expect(isEnded && outcome == .conflict)
        }
    }

    @Test func `a key that is compromised while it is attested is so under its new registration`() async throws {
        try await withPostgresStore(connections: 6) { store, client async throws in
            let held = try await store.registered(level: .unverified)
            let attested = DeviceRegistration.sample()
            let (outcome, isEnded) = try await overlap(client) {
                try await store.register(attested)
            } _: {
                try await Self.end(held.id, true, in: store)
            }
            #expect(outcome == .created && isEnded)
            for id in [held.id, attested.device.id] {
                #expect(try await store.record(of: id)?.compromise?.since == moment(5))
                #expect(try await store.devices([id])[id]?.revokedAt == moment(5))
            }
        }
    }

    /// A settlement holds the key, and what it verifies was received while the revocation waited for it.
    @Test func `a key is revoked from the moment on at which it was waited for`() async throws {
        try await withPostgresStore(connections: 6) { store, client async throws in
            let device = try await store.registered()
            let (revocation, receivedAt) = try await client.withTransaction { connection throws(PostgresError) in
                _ = try await connection.execute(Statements.lockKey, [.bytes(device.keyID.bytes)])
                let revocation = Task { try await store.revoke(device.id, at: nil, reason: "lost", actor: "alice") }
                await client.eventuallyWait(1)
                return (revocation, try await connection.execute(Statements.time).first?.moment("now"))
            }
            #expect(try await revocation.value)
            let revokedAt = try #require(try await store.devices([device.id])[device.id]?.revokedAt)
            let received = try #require(receivedAt)
            #expect(revokedAt > received)
        }
    }

    private static func end(
        _ device: DeviceID, _ isCompromise: Bool, in store: PostgresCaptureStore
    ) async throws -> Bool {
        guard isCompromise else {
            return try await store.revoke(device, at: moment(5), reason: "lost", actor: "alice")
        }
        let marked = try await store.compromise(
            device, since: moment(5), reason: "stolen", actor: "alice")
        return marked != nil
    }

    /// Runs two calls of which the first has changed the device, and cannot commit before the second one waits for it.
    private func overlap<First: Sendable, Second: Sendable>(
        _ client: PostgresClient, _ first: @escaping @Sendable () async throws -> First,
        _ second: @escaping @Sendable () async throws -> Second
    ) async throws -> (First, Second) {
        try await client.executeScript(Self.hold)
        let (one, two) = try await client.withTransaction { connection throws(PostgresError) in
            _ = try await connection.execute(Self.lock)
            let one = Task { try await first() }
            await client.eventuallyWait(1)
            let two = Task { try await second() }
            await client.eventuallyWait(2)
            return (one, two)
        }
        return (try await one.value, try await two.value)
    }

    private static let lock = PostgresStatement("test_lock", "SELECT true AS locked FROM pg_advisory_xact_lock(7)")
    private static let hold = """
        CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$;
        CREATE TRIGGER hold AFTER UPDATE ON devices FOR EACH STATEMENT EXECUTE FUNCTION hold();
        """
}
