import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@testable import IntakeJournal

@Suite("A row of the ledger that somebody else is changing", .timeLimit(.minutes(3)))
struct HeldRowTests {
    @Test func `a held row keeps back the uploads of its own bundle, and no other ones`() async throws {
        try await withPostgresStore { _, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            var maker = SubmissionMaker(seed: 1)
            let first = maker.submission(of: maker.device(), receivedAt: moment(0))
            _ = try await ledger.record([first])
            var uploads = (0..<31).map { maker.submission(of: maker.device(), receivedAt: moment($0)) }
            let again = maker.submission(of: first.device, digest: first.bundleDigest, receivedAt: moment(50))
            uploads.insert(again, at: 12)
            let sent = uploads
            let refused = try await client.withTransaction { connection throws(PostgresError) -> [CaptureID] in
                // Like a gateway that stands still within a claim: it ends when all uploads have their answers.
                try await connection.executeScript("UPDATE intake SET claimed_at = now()")
                return await Self.refused(of: sent, ledger)
            }
            #expect(refused == [again.id])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 99).count == 32)
            #expect(try await ledger.record([again]) == [.earlier(first.id, .claimed)])
        }
    }

    @Test func `a held row is passed by where rows are claimed or noted as dead, and no other one`() async throws {
        try await withPostgresStore { _, client async throws in
            let ledger = PostgresIntakeLedger(client: client, lockWait: .milliseconds(1))
            var maker = SubmissionMaker(seed: 2)
            let uploads = (0..<3).map { maker.submission(of: maker.device(), receivedAt: moment($0)) }
            let (ids, held) = (uploads.map(\.id), uploads[1].id)
            _ = try await ledger.record(uploads)
            let claimed = try await client.withTransaction {
                connection throws(PostgresError) -> Result<IntakeClaim, any Error> in
                try await connection.executeScript("SELECT FROM intake WHERE capture_id = '\(held)' FOR UPDATE")
                do {
                    try await ledger.noteDead(ids)
                    let claim = try await ledger.claim(ids)
                    return .success(claim)
                } catch {
                    return .failure(error)
                }
            }
            let claim = try claimed.get()
            #expect(claim.entries.map(\.submission.id) == [ids[0], ids[2]])
            #expect(claim.locked == [held])
            #expect(try await ledger.entries(of: ids).map(\.isDead) == [true, false, true])
            #expect(try await ledger.claim(held)?.submission.id == held)
        }
    }

    /// Whoever waits as long as others take would wait here until the end of the test.
    @Test func `a group waits for a held row no longer than told`() async throws {
        try await withPostgresStore { _, client async throws in
            try await client.letUploadsWait()
            let ledger = PostgresIntakeLedger(client: client)
            var maker = SubmissionMaker(seed: 2)
            let first = maker.submission(of: maker.device(), receivedAt: moment(0))
            let other = maker.submission(of: maker.device(), receivedAt: moment(1))
            _ = try await ledger.record([first])
            let again = maker.submission(of: first.device, digest: first.bundleDigest, receivedAt: moment(50))
            let fault = try await client.withTransaction { connection throws(PostgresError) -> StoreError? in
                try await connection.executeScript("UPDATE intake SET claimed_at = now()")
                do throws(StoreError) {
                    _ = try await ledger.record([other, again], lockWait: WaitingUploads.shortLockWait)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(fault == StoreError(.conflict, ""))
            #expect(try await ledger.record([other, again]) == [.recorded, .earlier(first.id, .claimed)])
        }
    }

    /// Two groups that took the same rows in the order of their arrival would wait for each other.
    @Test func `a group takes its rows in the order of their digests, however its uploads arrived`() async throws {
        try await withPostgresStore(connections: 4) { _, client async throws in
            try await client.letUploadsWait()
            let ledger = PostgresIntakeLedger(client: client)
            var maker = SubmissionMaker(seed: 4)
            let made = (0..<2).map { maker.submission(of: maker.device(), receivedAt: moment($0)) }
            let sent = made.sorted { $1.bundleDigest.bytes.lexicographicallyPrecedes($0.bundleDigest.bytes) }
            let recording = try await client.withTransaction { connection throws(PostgresError) in
                try await connection.executeScript(Self.insert(sent[1].bundleDigest))
                let recording = Task { try await ledger.record(sent) }
                await client.eventuallyWait(1)
                try await connection.executeScript(Self.insert(sent[0].bundleDigest))
                return recording
            }
            #expect(try await recording.value.count == 2)
        }
    }

    private static func insert(_ digest: SHA256Digest) -> String {
        """
        INSERT INTO intake (
            capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest, photo_bytes,
            depth_bytes, received_at, bundle_store)
        VALUES (
            gen_random_uuid(), '\\x\(digest.hex)', gen_random_uuid(), 'concat-v1', '', '', sha256(''), sha256(''), 0, 0,
            now(), 'redis')
        """
    }

    /// Returns those of one group's uploads that meet a conflict; the others are recorded.
    private static func refused(of uploads: [CaptureSubmission], _ ledger: PostgresIntakeLedger) async -> [CaptureID] {
        let limits = IntakeJournal.Limits(groupMax: 256, backlogMax: 1024, waitMax: .seconds(60))
        let journal = IntakeJournal(ledger: ledger, limits: limits)
        let answers = uploads.map { upload in Task { try await journal.record(upload) } }
        do {
            try await eventually { journal.waiting == uploads.count }
        } catch {
            Issue.record(error)
        }
        let running = Task { try await journal.run() }
        defer { running.cancel() }
        var refused: [CaptureID] = []
        for (upload, answer) in zip(uploads, answers) {
            switch await answer.result {
            case .success(let outcome): #expect(outcome == .recorded)
            case .failure(let fault):
                #expect(fault as? StoreError == StoreError(.conflict, ""))
                refused.append(upload.id)
            }
        }
        return refused
    }
}

extension PostgresClient {
    /// Lets uploads wait for the rows of others as long as a test takes, whatever else the machine has to do.
    func letUploadsWait() async throws {
        try await withConnection { connection throws(PostgresError) in
            try await connection.executeScript("ALTER FUNCTION capture_intake_v1 RESET lock_timeout")
        }
    }
}
