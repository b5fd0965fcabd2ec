import CaptureModel
import CaptureStore
import TestSupport
import Testing

@Suite("The intake ledger, of every kind", .timeLimit(.minutes(3)))
struct IntakeLedgerTests {
    @Test(arguments: LedgerKind.allCases)
    func `a bundle that is sent again is told under its first id`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, _ async throws in
            let uploads = LedgerKind.uploads(3)
            #expect(try await ledger.record(uploads) == [.recorded, .recorded, .recorded])
            #expect(try await ledger.record([uploads[0]]) == [.recorded], "the same call again is harmless")
            let other = LedgerKind.again(uploads[1])
            let fresh = LedgerKind.uploads(1, seed: 7)
            #expect(
                try await ledger.record([other, fresh[0], other])
                    == [.earlier(uploads[1].id, .waiting), .recorded, .earlier(uploads[1].id, .waiting)])
            #expect(try await ledger.claim([uploads[1].id, other.id]).entries.map(\.submission) == [uploads[1]])
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `twice in one group is once`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, _ async throws in
            let first = LedgerKind.uploads(1)[0]
            let outcomes = try await ledger.record([first, LedgerKind.again(first)])
            #expect(outcomes == [.recorded, .earlier(first.id, .waiting)])
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `open rows come in the order of acceptance, page by page`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, close async throws in
            let uploads = LedgerKind.uploads(7)
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

    @Test(arguments: LedgerKind.allCases)
    func `a withdrawn bundle is new again, a closed row cannot be withdrawn`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, close async throws in
            let uploads = LedgerKind.uploads(2)
            _ = try await ledger.record(uploads)
            try await close([uploads[1].id])
            #expect(try await ledger.withdraw(uploads[0].id))
            #expect(try await !ledger.withdraw(uploads[1].id))
            #expect(try await ledger.record([LedgerKind.again(uploads[0])]) == [.recorded])
            #expect(
                try await ledger.record([LedgerKind.again(uploads[1], seed: 5)])
                    == [.earlier(uploads[1].id, .closed)])
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `a claimed row can be discarded, and not withdrawn`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, close async throws in
            let uploads = LedgerKind.uploads(4)
            _ = try await ledger.record(uploads)
            try await close([uploads[3].id])
            #expect(
                try await ledger.claim([uploads[3].id, uploads[1].id, uploads[0].id]).entries.map(\.submission)
                    == uploads[..<2].map(\.self))
            for (index, upload) in uploads.enumerated() {
                #expect(try await ledger.withdraw(upload.id) == (index == 2))
            }
            #expect(
                try await ledger.record([LedgerKind.again(uploads[0])]) == [.earlier(uploads[0].id, .claimed)])
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
            let uploads = LedgerKind.uploads(20)
            _ = try await ledger.record(uploads)
            let open = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 99)
            #expect(open.map(\.capture) == uploads.map(\.id))
            #expect(try await ledger.claim(uploads.reversed().map(\.id)).entries.map(\.submission) == uploads)
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `a closed row is known until it is purged, an open one is never purged`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, close async throws in
            let uploads = LedgerKind.uploads(5)
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
            let uploads = LedgerKind.uploads(2)
            let (settled, waiting) = (uploads[0], uploads[1])
            try await close([settled.id])
            #expect(try await ledger.record(uploads) == [.recorded, .recorded])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).count == 2)
            #expect(try await ledger.claim(uploads.map(\.id)).entries.map(\.submission) == [waiting])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == [waiting.id])
            #expect(try await ledger.accepted([settled.id])[settled.id]?.isOpen == false)
            #expect(try await ledger.record([LedgerKind.again(settled)]) == [.earlier(settled.id, .closed)])
        }
    }

    @Test(arguments: LedgerKind.allCases)
    func `a dead letter is noted and stays open`(_ kind: LedgerKind) async throws {
        try await kind.withLedger { ledger, _ async throws in
            let uploads = LedgerKind.uploads(2)
            _ = try await ledger.record(uploads)
            try await ledger.noteDead([uploads[0].id])
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.isDead) == [true, false])
            #expect(try await ledger.claim(uploads.map(\.id)).entries.map(\.isDead) == [true, false])
        }
    }
}
