import CaptureModel
import CaptureStore
import Foundation
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite("The intake ledger", .timeLimit(.minutes(3)))
struct IntakeLedgerTests {
    private static func uploads(_ count: Int, seed: UInt64 = 1) -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: seed)
        let device = maker.device()
        return (0..<count).map { maker.submission(of: device, receivedAt: moment($0)) }
    }

    /// The same bundle under another id, as it is sent again.
    private static func again(_ first: CaptureSubmission, seed: UInt64 = 99) -> CaptureSubmission {
        var maker = SubmissionMaker(seed: seed)
        return maker.submission(of: first.device, digest: first.bundleDigest, receivedAt: moment(50))
    }

    @Test(arguments: LedgerKind.allCases)
    func `a bundle that is sent again is told under its first id`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, _ async throws in
            let uploads = Self.uploads(3)
            #expect(try await ledger.record(uploads) == [.recorded, .recorded, .recorded])
            #expect(try await ledger.record([uploads[0]]) == [.recorded], "the same call again is harmless")
            let other = Self.again(uploads[1])
            let fresh = Self.uploads(1, seed: 7)
            #expect(
                try await ledger.record([other, fresh[0], other])
                    == [.earlier(uploads[1].id, .waiting), .recorded, .earlier(uploads[1].id, .waiting)])
            #expect(try await ledger.claim([uploads[1].id, other.id]).entries.map(\.submission) == [uploads[1]])
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `twice in one group is once`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, _ async throws in
            let first = Self.uploads(1)[0]
            let outcomes = try await ledger.record([first, Self.again(first)])
            #expect(outcomes == [.recorded, .earlier(first.id, .waiting)])
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `open rows come in the order of acceptance, page by page`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, close async throws in
            let uploads = Self.uploads(7)
            // The clocks of gateways may say otherwise.
            for upload in uploads.reversed() { _ = try await ledger.record([upload]) }
            try await close([uploads[5].id])
            let order = uploads.reversed().map(\.id).filter { $0 != uploads[5].id }
            let first = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 4)
            #expect(first.map(\.capture) == Array(order[..<4]))
            let last = try #require(first.last)
            let second = try await ledger.openIntake(after: last.place, olderThan: .zero, limit: 4)
            #expect(second.map(\.capture) == Array(order[4...]))
            #expect(second.allSatisfy { $0.device == uploads[0].device && !$0.isDead })
            #expect(try await ledger.openIntake(after: 0, olderThan: .seconds(3600), limit: 4).isEmpty)
        }
    }

    /// As after the server's clock was set back, or where another server with another clock took over.
    @Test func `an open row that is to come by the clock is told where no age is asked for`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let upload = Self.uploads(1)[0]
            _ = try await ledger.record([upload])
            try await client.withConnection { connection throws(PostgresError) in
                try await connection.executeScript("UPDATE intake SET recorded_at = now() + interval '1 minute'")
            }
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == [upload.id])
            #expect(try await ledger.openIntake(after: 0, olderThan: .milliseconds(1), limit: 9).isEmpty)
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `a withdrawn bundle is new again, a closed row cannot be withdrawn`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, close async throws in
            let uploads = Self.uploads(2)
            _ = try await ledger.record(uploads)
            try await close([uploads[1].id])
            #expect(try await ledger.withdraw(uploads[0].id))
            #expect(try await !ledger.withdraw(uploads[1].id))
            #expect(try await ledger.record([Self.again(uploads[0])]) == [.recorded])
            #expect(
                try await ledger.record([Self.again(uploads[1], seed: 5)])
                    == [.earlier(uploads[1].id, .closed)])
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `a claimed row can be discarded, and not withdrawn`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, close async throws in
            let uploads = Self.uploads(4)
            _ = try await ledger.record(uploads)
            try await close([uploads[3].id])
            #expect(
                try await ledger.claim([uploads[3].id, uploads[1].id, uploads[0].id]).entries.map(\.submission)
                    == uploads[..<2].map(\.self))
            for (index, upload) in uploads.enumerated() {
                #expect(try await ledger.withdraw(upload.id) == (index == 2))
            }
            #expect(
                try await ledger.record([Self.again(uploads[0])]) == [.earlier(uploads[0].id, .claimed)])
            #expect(try await ledger.claim([uploads[2].id]).entries.isEmpty, "what was withdrawn cannot be claimed")
            for (index, upload) in uploads.enumerated() {
                let row = try await ledger.discard(upload.id)
                #expect(row?.submission == (index < 2 ? upload : nil))
            }
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty)
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `places follow the order in which uploads arrived in their group`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, _ async throws in
            let uploads = Self.uploads(20)
            _ = try await ledger.record(uploads)
            let open = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 99)
            #expect(open.map(\.capture) == uploads.map(\.id))
            #expect(try await ledger.claim(uploads.reversed().map(\.id)).entries.map(\.submission) == uploads)
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `a closed row is known until it is purged, an open one is never purged`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, close async throws in
            let uploads = Self.uploads(5)
            _ = try await ledger.record(uploads)
            try await close(uploads[..<4].map(\.id))
            #expect(try await ledger.purge(closedFor: .seconds(3600), limit: 100) == 0)
            let known = try await ledger.accepted(uploads.map(\.id))
            #expect(known.count == 5)
            #expect(
                known[uploads[0].id] == AcceptedIntake(device: uploads[0].device, receivedAt: moment(0), isOpen: false))
            #expect(known[uploads[4].id]?.isOpen == true)
            #expect(try await ledger.purge(closedFor: .zero, limit: 3) == 3, "never more at once than asked")
            #expect(try await ledger.purge(closedFor: .zero, limit: 3) == 1)
            #expect(try await ledger.purge(closedFor: .zero, limit: 3) == 0)
            #expect(Set(try await ledger.accepted(uploads.map(\.id)).keys) == [uploads[4].id])
        }
    }

    /// As after a discard that came too late: the capture was put back and settled while its row was away.
    @Test(arguments: LedgerKind.allCases)
    func `a row whose capture has its result already is closed by whoever claims it`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, close async throws in
            let uploads = Self.uploads(2)
            let (settled, waiting) = (uploads[0], uploads[1])
            try await close([settled.id])
            #expect(try await ledger.record(uploads) == [.recorded, .recorded])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).count == 2)
            #expect(try await ledger.claim(uploads.map(\.id)).entries.map(\.submission) == [waiting])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == [waiting.id])
            #expect(try await ledger.accepted([settled.id])[settled.id]?.isOpen == false)
            #expect(try await ledger.record([Self.again(settled)]) == [.earlier(settled.id, .closed)])
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `a dead letter is noted and stays open`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, _ async throws in
            let uploads = Self.uploads(2)
            _ = try await ledger.record(uploads)
            try await ledger.noteDead([uploads[0].id])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.isDead) == [true, false])
            #expect(try await ledger.claim(uploads.map(\.id)).entries.map(\.isDead) == [true, false])
        }
    }

    @Test func `everything that the queue needs comes back as it was`() async throws {
        try await LedgerKind.postgres.withLedger { ledger, _ async throws in
            var maker = SubmissionMaker(seed: 3)
            let upload = CaptureSubmission(
                id: maker.submission(of: maker.device()).id, device: maker.device(), bundleDigest: .hash([9]),
                binding: .framedV2, assertion: [0, 255, 1], metadata: Array("{\"ä\":\"\u{0}\"}".utf8),
                photoDigest: .hash([1]), depthDigest: .hash([2]), photoBytes: 3_000_000_000, depthBytes: 0,
                receivedAt: moment(3), traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                bundleStore: .filesystem)
            _ = try await ledger.record([upload])
            let rows = try await ledger.claim([upload.id]).entries
            #expect(rows.map(\.submission) == [upload] && rows.allSatisfy { !$0.isDead })
        }
    }

    @Test func `an id that is taken already is no fault of the record`() async throws {
        try await LedgerKind.postgres.withLedger { ledger, _ async throws in
            let first = Self.uploads(1)[0]
            _ = try await ledger.record([first])
            var maker = SubmissionMaker(seed: 12)
            let other = maker.submission(of: first.device, id: first.id, receivedAt: moment(1))
            let fresh = maker.submission(of: first.device, receivedAt: moment(2))
            #expect(try await ledger.record([other, fresh]) == [.contested, .recorded])
        }
    }

    @Test func `groups of two gateways with the same bundles never wait for each other in a circle`() async throws {
        try await withPostgresStore { _, client async throws in
            try await client.letUploadsWait()
            let ledger = PostgresIntakeLedger(client: client)
            let firsts = Self.uploads(60, seed: 11)
            let seconds = firsts.reversed().enumerated().map { Self.again($1, seed: UInt64(1000 + $0)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<6 {
                    let uploads = round.isMultiple(of: 2) ? firsts : Array(seconds)
                    group.addTask { _ = try await ledger.record(uploads) }
                }
                try await group.waitForAll()
            }
            let open = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 1000).map(\.capture)
            let bundles = try await ledger.entries(of: open).map(\.submission.bundleDigest)
            #expect(open.count == 60 && bundles.count == 60, "a row for each bundle")
            #expect(Set(bundles) == Set(firsts.map(\.bundleDigest)))
        }
    }

    @Test func `results close their rows in the transaction that writes them`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let device = try await store.registered()
            var maker = SubmissionMaker(seed: 500)
            let uploads = (0..<3).map { maker.submission(of: device.id, receivedAt: moment($0)) }
            let captures = uploads.enumerated().map { index, upload in
                ExaminedCapture.sample(device, counter: UInt32(index + 1), upload: upload)
            }
            _ = try await ledger.record(uploads)
            _ = try await store.settle(Array(captures[..<2]), policy: .strict)
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == [uploads[2].id])
            // The record refuses results from now on: a batch that fails closes nothing.
            try await client.withConnection { connection throws(PostgresError) in
                try await connection.executeScript("ALTER TABLE captures ADD CHECK (id IS NULL) NOT VALID")
            }
            await #expect(throws: StoreError(.refused, "")) { try await store.settle([captures[2]], policy: .strict) }
            #expect(try await ledger.claim(uploads.map(\.id)).entries.map(\.submission.id) == [uploads[2].id])
        }
    }

    private static let kept = PostgresStatement(
        "test_kept",
        """
        SELECT count(closed_at) AS closed, sum(octet_length(assertion) + octet_length(metadata)) AS bytes FROM intake
        """)

    @Test func `a closed row keeps no evidence, whoever has closed it`() async throws {
        try await withPostgresStore { store, client async throws in
            let ledger = PostgresIntakeLedger(client: client)
            let uploads = Self.uploads(2)
            _ = try await ledger.record([uploads[0]])
            _ = try await store.settle(
                uploads.map { .sample(nil, counter: nil, upload: $0, rejection: .deviceUnknown) }, policy: .strict)
            _ = try await ledger.record([uploads[1]])
            _ = try await ledger.claim(uploads.map(\.id))
            let row = try #require(try await client.execute(Self.kept).first)
            #expect(try row.int8("closed") == 2 && row.int8("bytes") == 0)
        }
    }
}
