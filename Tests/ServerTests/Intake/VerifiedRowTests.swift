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
            try await client.letUploadsWait()
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
                    await client.eventuallyWait(1)
                    _ = try await store.settle([verified], policy: .strict)
                    _ = try await connection.execute(Self.rollback)
                }
                return await Self.outcome(of: { try await ledger.record(again) }, meanwhile)
            }
            #expect(try outcomes.get() == [.recorded, .earlier(first.id, .closed)])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).count == 1)
        }
    }

    /// What comes of something while something else goes on.
    private static func outcome<Value: Sendable>(
        of work: @escaping @Sendable () async throws -> Value, _ meanwhile: () async throws -> Void
    ) async -> Result<Value, any Error> {
        async let answer = work()
        do {
            try await meanwhile()
            let told = try await answer
            return Result.success(told)
        } catch {
            return .failure(error)
        }
    }

    /// What comes of something that needs two rows which another session locks in the order of their ids: the second
    /// one while the first is waited for.
    private static func outcome<Value: Sendable>(
        of work: @escaping @Sendable () async throws -> Value, whileLocking rows: [CaptureSubmission],
        _ client: PostgresClient
    ) async throws -> Value {
        let outcome = try await client.withConnection { connection throws(PostgresError) in
            _ = try await connection.execute(Self.begin)
            _ = try await connection.execute(Self.lock, [.uuid(rows[0].id.uuid)])
            let meanwhile: () async throws -> Void = {
                await client.eventuallyWait(1)
                #expect(try await connection.execute(Self.lock, [.uuid(rows[1].id.uuid)]).count == 1)
                _ = try await connection.execute(Self.rollback)
            }
            return await Self.outcome(of: work, meanwhile)
        }
        return try outcome.get()
    }

    /// Two open rows in the order of their ids.
    ///
    /// Their places are the other way round, in a table with room for many: by itself PostgreSQL would come by the second
    /// one first.
    private static func twoRows(
        of device: Device, _ ledger: PostgresIntakeLedger, _ client: PostgresClient
    ) async throws -> [CaptureSubmission] {
        let ids = ["01a1fc67-55f8-7b2b-980e-000000000001", "01a1fc67-55f8-7b2b-980e-000000000002"]
        let rows = try zip(ids, [5, 6] as [UInt32]).map { id, counter in
            SignedUpload.make(device, counter).with(id: try #require(CaptureID(id)))
        }
        try await run(Self.fill, client)
        for row in rows.reversed() { _ = try await ledger.record([row]) }
        try await run("DELETE FROM intake WHERE photo_bytes = 0", client)
        try await run("VACUUM ANALYZE intake", client)
        return rows
    }

    private static func run(_ script: String, _ client: PostgresClient) async throws {
        try await client.executeScript(script)
    }

    private static let fill = """
        INSERT INTO intake (
            capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest, photo_bytes,
            depth_bytes, received_at, bundle_store)
        SELECT gen_random_uuid(), sha256(n::text::bytea), gen_random_uuid(), 'concat-v1', '',
            convert_to(repeat('x', 1000), 'UTF8'), sha256(''), sha256(''), 0, 0, now(), 'redis'
        FROM generate_series(1, 200) AS n
        """
    private static let lock = PostgresStatement(
        "test_lock", "SELECT capture_id FROM intake WHERE capture_id = $1 FOR UPDATE")

    private static let begin = PostgresStatement("test_begin", "BEGIN")
    private static let rollback = PostgresStatement("test_rollback", "ROLLBACK")
    private static let savepoint = PostgresStatement("test_savepoint", "SAVEPOINT here")
    private static let rollbackToSavepoint = PostgresStatement("test_rollback_to", "ROLLBACK TO SAVEPOINT here")
    private static let insert = PostgresStatement(
        "test_insert",
        """
        INSERT INTO intake (
            capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest, photo_bytes,
            depth_bytes, received_at, bundle_store)
        VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'concat-v1', '', '', $1, $1, 0, 0, now(), 'redis')
        """)

    /// Whether both are deleted, or the first one stays, closed.
    @Test(arguments: [true, false])
    func `results lock their rows in the order of their ids`(areDeleted: Bool) async throws {
        try await withPostgresStore(connections: 4) { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let rows = try await Self.twoRows(of: device, ledger, client)
            let batch = [
                SignedUpload.verified(rows[0], of: device, counter: areDeleted ? 5 : nil),
                SignedUpload.verified(rows[1], of: device, counter: 6),
            ]
            let decisions = try await Self.outcome(
                of: { try await store.settle(batch, policy: .strict) }, whileLocking: rows, client)
            #expect(decisions.map(\.verdict) == [areDeleted ? .verified : .rejected, .verified])
            #expect(try await ledger.accepted(rows.map(\.id)).count == (areDeleted ? 0 : 1))
        }
    }

    /// Both rows are locked when the claim begins, and it waits for the first one while the second becomes free.
    @Test func `claims wait for locked rows in the order of their ids`() async throws {
        try await withPostgresStore(connections: 4) { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client, lockWait: .seconds(60))
            let rows = try await Self.twoRows(of: try await store.registered(), ledger, client)
            let ids = rows.map(\.id)
            let claimed = try await client.withConnection { connection throws(PostgresError) in
                _ = try await connection.execute(Self.begin)
                _ = try await connection.execute(Self.lock, [.uuid(ids[0].uuid)])
                _ = try await connection.execute(Self.savepoint)
                _ = try await connection.execute(Self.lock, [.uuid(ids[1].uuid)])
                let meanwhile: () async throws -> Void = {
                    await client.eventuallyWait(1)
                    _ = try await connection.execute(Self.rollbackToSavepoint)
                    #expect(try await connection.execute(Self.lock, [.uuid(ids[1].uuid)]).count == 1)
                    _ = try await connection.execute(Self.rollback)
                }
                return await Self.outcome(of: { try await ledger.claim(ids) }, meanwhile)
            }
            let claim = try claimed.get()
            #expect(claim.entries.map(\.submission.id) == Array(ids.reversed()), "as they came")
            #expect(claim.locked.isEmpty)
        }
    }

    /// Claimed with the others, it would be locked after them, whatever its id.
    @Test func `a row that comes while a claim waits for another is left to the next claim`() async throws {
        try await withPostgresStore(connections: 4) { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client, lockWait: .seconds(60))
            let device = try await store.registered()
            let (held, late) = (SignedUpload.make(device, 5), SignedUpload.make(device, 6))
            _ = try await ledger.record([held])
            let ids = [held.id, late.id]
            let claimed = try await client.withConnection { connection throws(PostgresError) in
                _ = try await connection.execute(Self.begin)
                _ = try await connection.execute(Self.lock, [.uuid(held.id.uuid)])
                let meanwhile: () async throws -> Void = {
                    await client.eventuallyWait(1)
                    _ = try await ledger.record([late])
                    _ = try await connection.execute(Self.rollback)
                }
                return await Self.outcome(of: { try await ledger.claim(ids) }, meanwhile)
            }
            #expect(try claimed.get().entries.map(\.submission.id) == [held.id])
            #expect(try await ledger.record([SignedUpload.make(device, 6)]) == [.earlier(late.id, .waiting)])
            #expect(try await ledger.claim(ids).entries.map(\.submission.id) == ids)
        }
    }

    @Test func `a row that its result would not lead to stays, closed`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            // With a length in two bytes, as no phone's encoder writes it.
            let long = SignedUpload.make(device, 6, length: [0x59, 0, 37])
            _ = try await ledger.record([long])
            _ = try await store.settle([SignedUpload.verified(long, of: device, counter: 6)], policy: .strict)
            #expect(try await ledger.accepted([long.id]).mapValues(\.isOpen) == [long.id: false])
            let again = SignedUpload.make(device, 6, length: [0x59, 0, 37])
            #expect(try await ledger.record([again]) == [.earlier(long.id, .closed)])
        }
    }

    /// A hand-off may declare larger media than it stores, and a redrive records what it has declared.
    @Test func `a row that tells other numbers of bytes than were hashed is its capture's all the same`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let declared = SignedUpload.make(device, 5, photoBytes: 9, depthBytes: 9)
            _ = try await ledger.record([declared])
            let hashed = SignedUpload.make(device, 5).with(id: declared.id)
            let capture = SignedUpload.verified(hashed, of: device, counter: 5)
            #expect(try await store.settle([capture], policy: .strict).map(\.verdict) == [.verified])
            #expect(try await ledger.accepted([declared.id]).isEmpty)
        }
    }

    /// Jobs are in Redis: whoever can write there could have a capture of his own settled under the id of somebody else's.
    @Test(arguments: Difference.allCases)
    func `no result is written of another capture than that of the row, which stays open`(
        _ difference: Difference
    ) async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            let other = try await store.registered(key: 2)
            let (genuine, beside) = (SignedUpload.make(device, 5), SignedUpload.make(device, 6))
            _ = try await ledger.record([genuine, beside])
            let (forged, owner) = difference.forged(device, other)
            let batch = [
                SignedUpload.verified(forged.with(id: genuine.id), of: owner, counter: difference.counter),
                SignedUpload.verified(beside, of: device, counter: 6),
            ]
            let fault = await #expect(throws: StoreError.self) { try await store.settle(batch, policy: .strict) }
            // The dead letter says so, as whoever put it there can write to Redis.
            #expect(fault?.description == "store refused P0001: constraint id_of_another_capture_in_ledger")
            #expect(try await store.results(of: [genuine.id, beside.id]).isEmpty)
            #expect(try await ledger.entries(of: [genuine.id]).map(\.submission) == [genuine])
            #expect(try await store.captureCounter(of: device) == 0)

            let right = [SignedUpload.verified(genuine, of: device, counter: 5), batch[1]]
            let settled = try await store.settle(right, policy: .strict)
            #expect(settled.map(\.verdict) == [.verified, .verified])
        }
    }
}

/// What somebody has changed of a job.
enum Difference: CaseIterable {
    case device, binding, photo, depth, assertion, metadata, rejected

    /// None: its signature is none.
    var counter: UInt32? { self == .rejected ? nil : 5 }

    func forged(_ device: Device, _ other: Device) -> (upload: CaptureSubmission, owner: Device) {
        switch self {
        case .device: (SignedUpload.make(other, 5), other)
        case .binding: (SignedUpload.make(device, 5, binding: .framedV2), device)
        case .photo: (SignedUpload.make(device, 5, photo: 9), device)
        case .depth: (SignedUpload.make(device, 5, depth: 9), device)
        case .assertion, .rejected: (SignedUpload.make(device, 5, signature: 9), device)
        case .metadata: (SignedUpload.make(device, 5, metadata: #"{"a":1}"#), device)
        }
    }
}
