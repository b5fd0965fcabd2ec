import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// The ledger's row of a verified capture goes with its result, which tells of the bundle from then on.
@Suite("Rows of verified captures", .timeLimit(.minutes(3)))
struct VerifiedRowTests {
    @Test func `a row goes with its result, and the bundle makes no other one`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let first = SignedUpload.make(device, 5)
            _ = try await ledger.record([first])
            _ = try await store.settle([SignedUpload.verified(first, of: device, counter: 5)], policy: .strict)
            #expect(try await ledger.accepted([first.id]).isEmpty)

            let again = SignedUpload.make(device, 5), twice = SignedUpload.make(device, 5)
            #expect(
                try await ledger.record([again, first, twice])
                    == [.earlier(first.id, .closed), .recorded, .earlier(first.id, .closed)])
            #expect(try await ledger.accepted([again.id, first.id, twice.id]).isEmpty)
        }
    }

    /// Recorded again, a genuine capture would be called a replay.
    @Test func `a bundle that is verified while it is recorded again is told under its first id`() async throws {
        try await withPostgresStore(connections: 4) { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            // Rows are inserted in the order of their digests: the one before is held up, and the other verified then.
            let held = SignedUpload.make(device, 6), first = SignedUpload.make(device, 5)
            let digest = held.bundleDigest.bytes
            try #require(digest.lexicographicallyPrecedes(first.bundleDigest.bytes))
            _ = try await ledger.record([first])
            let again = [SignedUpload.make(device, 6), SignedUpload.make(device, 5)]
            let verified = SignedUpload.verified(first, of: device, counter: 5)
            let outcomes = try await client.withConnection { connection throws(PostgresError) in
                _ = try await connection.execute(Self.begin)
                _ = try await connection.execute(Self.insert, [.bytes(digest)])
                let meanwhile: () async throws -> Void = {
                    try await eventually { try await client.execute(Self.waiting).first?.int8("sessions") == 1 }
                    _ = try await store.settle([verified], policy: .strict)
                    _ = try await connection.execute(Self.rollback)
                }
                return await Self.outcomes(of: again, ledger, meanwhile)
            }
            #expect(try outcomes.get() == [.recorded, .earlier(first.id, .closed)])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).count == 1)
        }
    }

    /// What the ledger answers while something else goes on.
    private static func outcomes(
        of uploads: [CaptureSubmission], _ ledger: PostgresIntakeLedger, _ meanwhile: () async throws -> Void
    ) async -> Result<[IntakeOutcome], any Error> {
        async let answers = ledger.record(uploads)
        do {
            try await meanwhile()
            let told = try await answers
            return Result.success(told)
        } catch {
            return .failure(error)
        }
    }

    private static let begin = PostgresStatement("test_begin", "BEGIN")
    private static let rollback = PostgresStatement("test_rollback", "ROLLBACK")
    private static let insert = PostgresStatement(
        "test_insert",
        """
        INSERT INTO intake (
            capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest, photo_bytes,
            depth_bytes, received_at, bundle_store)
        VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'concat-v1', '', '', $1, $1, 0, 0, now(), 'redis')
        """)
    private static let waiting = PostgresStatement(
        "test_waiting",
        """
        SELECT count(*) AS sessions FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """)

    @Test func `a row that its result would not lead to stays, closed`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let mistaken = SignedUpload.make(device, 5)
            // With a length in two bytes, as no phone's encoder writes it.
            let long = SignedUpload.make(device, 6, length: [0x59, 0, 37])
            _ = try await ledger.record([mistaken, long])
            let other = SignedUpload.make(device, 5, photo: 9).with(id: mistaken.id)
            _ = try await store.settle(
                [
                    SignedUpload.verified(other, of: device, counter: 5),
                    SignedUpload.verified(long, of: device, counter: 6),
                ], policy: .strict)
            let accepted = try await ledger.accepted([mistaken.id, long.id])
            #expect(accepted.mapValues(\.isOpen) == [mistaken.id: false, long.id: false])
            let again = [SignedUpload.make(device, 5), SignedUpload.make(device, 6, length: [0x59, 0, 37])]
            #expect(
                try await ledger.record(again) == [.earlier(mistaken.id, .closed), .earlier(long.id, .closed)])
        }
    }
}
