import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("The archive", .timeLimit(.minutes(3)))
struct ArchiveTests {
    @Test func `pages that follow each other have every capture once, newest first`() async throws {
        try await withArchive { store, _, _ in
            var met: [ArchivedCapture] = []
            var position: CapturePosition?
            repeat {
                let page = try await store.list(CaptureFilter(), after: position, limit: 7)
                met += page
                position = page.count == 7 ? page.last?.position : nil
            } while position != nil
            // 30 with a result, and 4 that wait for theirs.
            #expect(met.count == 34 && Set(met.map(\.id)).count == 34)
            #expect(met.count { $0.result == nil } == 4)
            #expect(zip(met, met.dropFirst()).allSatisfy { $0.position.precedes($1.position) })
        }
    }

    @Test func `each filter leaves what it says`() async throws {
        try await withArchive { store, first, second in
            func list(_ configure: (inout CaptureFilter) -> Void) async throws -> [ArchivedCapture] {
                var filter = CaptureFilter()
                configure(&filter)
                return try await store.list(filter, after: nil, limit: 500)
            }
            let rejected = try await list {
                $0.verdicts = [.rejected]
                $0.includesOpen = false
            }
            #expect(rejected.count == 10 && rejected.allSatisfy { $0.result?.verdict == .rejected })
            let stale = try await list { $0.reasons = [.counterStale] }
            #expect(stale.count == 5 && stale.allSatisfy { $0.result?.reason == .counterStale })
            // As it was then: 110 was accepted since.
            let before = stale.reversed().map { $0.result?.counterHighest }
            #expect(before == [101, 102, 103, 104, 105] && stale.allSatisfy { $0.result?.counter == 1 })
            #expect(try await list { $0.reasons = [.counterStale, .signatureInvalid] }.count == 10)
            let good = try await list { $0.confidence = .medium }
            #expect(good.count == 10 && good.allSatisfy { $0.result?.counterHighest == nil })
            let own = try await list { $0.device = second.id }
            #expect(own.count == 12 && own.allSatisfy { $0.device == second.id })
            #expect(
                try await list {
                    $0.device = first.id
                    $0.reasons = [.signatureInvalid]
                }.count == 5)
            // Received from the third second on and before the fifth: two of each of the three kinds that both have.
            let timed = try await list {
                $0.from = moment(103)
                $0.before = moment(105)
                $0.includesOpen = false
            }
            #expect(timed.allSatisfy { ($0.receivedAt) >= moment(103) && $0.receivedAt < moment(105) })
            #expect(timed.count == 6)
            #expect(
                try await list {
                    $0.verdicts = []
                    $0.includesOpen = true
                }.count == 4)
            #expect(
                try await list {
                    $0.confidence = .high
                    $0.reasons = [.counterStale]
                }.isEmpty)
        }
    }

    @Test func `a photo's digest leads to its captures, and each capture to its signed bytes`() async throws {
        try await withArchive { store, first, second in
            let found = try await store.captures(of: .hash([2]))
            #expect(found.count == 30)
            #expect(try await store.captures(of: .hash(Array("nothing".utf8))).isEmpty)
            var filter = CaptureFilter()
            filter.includesOpen = false
            let settled = try #require(try await store.list(filter, after: nil, limit: 1).first)
            filter.verdicts = []
            filter.includesOpen = true
            let open = try #require(try await store.list(filter, after: nil, limit: 1).first)
            #expect(found.contains(settled.id) && settled.result != nil && open.result == nil)
            let known: [(ArchivedCapture, [UInt8])] = [(settled, [0xA2, 0, 1]), (open, [0xA2, 0, 0xFF])]
            for (capture, signed) in known {
                let other = capture.device == first.id ? second.id : first.id
                #expect(try await store.assertion(of: capture.id, from: capture.device) == signed)
                #expect(try await store.assertion(of: capture.id, from: other) == nil)
            }
            #expect(try await store.assertion(of: CaptureID(UUID()), from: first.id) == nil)
        }
    }

    @Test func `a device's captures are counted from a moment on`() async throws {
        try await withArchive { store, first, second in
            let all = try await store.tally(of: first.id, from: moment(0))
            #expect(
                all
                    == DeviceTally(
                        verified: 10, rejected: 10, reasons: [.counterStale: 5, .signatureInvalid: 5], open: 2))
            let late = try await store.tally(of: second.id, from: moment(105))
            #expect(late == DeviceTally(verified: 5, rejected: 0, reasons: [:], open: 2))
        }
    }

    @Test func `the audit is read backwards in pages`() async throws {
        try await withArchive { store, first, _ in
            _ = try await store.revoke(first.id, at: moment(500), reason: "lost", actor: "alice")
            let latest = try await store.auditLog(AuditFilter(), before: nil, limit: 1)
            #expect(latest.entries.map(\.entry.action) == ["device.revoke"] && latest.end == nil)
            let rest = try await store.auditLog(AuditFilter(), before: latest.entries.first?.number, limit: 500)
            #expect(rest.entries.map(\.entry.action) == ["device.register", "device.register", "installation.new"])
            #expect(rest.end == nil)
        }
    }

    @Test func `the audit is filtered by what was done and by whom`() async throws {
        try await withArchive { store, first, _ in
            _ = try await store.revoke(first.id, at: moment(500), reason: "lost", actor: "Alice (dashboard)")
            try await store.recordAudit([
                AuditEntry(at: moment(600), actor: "bob_1", action: .queuePause, subject: "queue"),
                AuditEntry(at: moment(601), actor: "bob_1", action: AuditAction.queuePause.missed, subject: "queue"),
            ])
            func actions(_ filter: AuditFilter = AuditFilter(), who: String = "") async throws -> [String] {
                var filter = filter
                filter.actor = who
                return try await store.auditLog(filter, before: nil, limit: 500).entries.map(\.entry.action)
            }
            let pauses = ["queue.pause.missed", "queue.pause"]
            #expect(try await actions(.deeds) == pauses + ["device.revoke", "installation.new"])
            #expect(try await actions(.deeds, who: "aLICE") == ["device.revoke"])
            #expect(try await actions(who: "b_1") == pauses)
            #expect(try await actions(who: "b%").isEmpty)
            var kind = AuditFilter()
            kind.action = "device."
            #expect(try await actions(kind) == ["device.revoke", "device.register", "device.register"])
            #expect(try await actions(kind, who: "alice") == ["device.revoke"])
        }
    }

    /// An entry a minute, of which one was noted by a clock that is five minutes behind.
    private static let minutes: [AuditEntry] = {
        var entries = (0..<40).map { entry($0, at: 1_000 + 60 * $0) }
        entries.insert(entry(1, at: 1_000 + 60 * 15 - 299), at: 15)
        return entries
    }()

    private static func entry(_ number: Int, at second: Int) -> AuditEntry {
        AuditEntry(
            at: moment(second), actor: "alice", action: .queuePause,
            subject: number.isMultiple(of: 2) ? "even" : "odd")
    }

    @Test func `entries of a span of time are found without those behind it, whatever the clocks say`() async throws {
        try await withArchive { store, _, _ in
            try await store.recordAudit(Self.minutes)
            var filter = AuditFilter()
            (filter.from, filter.before) = (moment(1_000 + 60 * 10), moment(1_000 + 60 * 20))
            let page = try await store.auditLog(filter, before: nil, limit: 500, looksMax: 25)
            let wanted = Self.minutes.filter { $0.at >= moment(1_600) && $0.at < moment(2_200) }
            #expect(wanted.count == 11)
            #expect(page.entries.map(\.entry) == wanted.reversed())
            let end = try #require(page.end, "ten minutes on either side are looked through")
            #expect(end.at < moment(1_600) && end.at >= moment(1_000))
            let next = try await store.auditLog(filter, before: end.number, limit: 500, looksMax: 25)
            #expect(next == AuditLogPage(entries: [], end: nil))
            filter.before = nil
            #expect(try await store.auditLog(filter, before: nil, limit: 500).entries.count == 31)
            filter.from = moment(1_000 + 60 * 60)
            #expect(try await store.auditLog(filter, before: nil, limit: 500).entries.isEmpty)
        }
    }

    @Test func `what was done to one thing is found without what was done to others`() async throws {
        try await withArchive { store, _, _ in
            try await store.recordAudit(Self.minutes)
            var filter = AuditFilter()
            filter.subject = "even"
            let even = Self.minutes.filter { $0.subject == "even" }
            let page = try await store.auditLog(filter, before: nil, limit: 20, looksMax: 20)
            #expect(page.entries.map(\.entry) == even.reversed())
            filter.before = moment(1_000 + 60 * 20)
            let cut = try await store.auditLog(filter, before: nil, limit: 20, looksMax: 3)
            #expect(cut.entries.isEmpty && cut.end?.at == moment(1_000 + 60 * 24))
            let rest = try await store.auditLog(filter, before: cut.end?.number, limit: 20, looksMax: 20)
            #expect(rest.entries.map(\.entry) == even.prefix(10).reversed())
            filter.subject = "eve"
            #expect(try await store.auditLog(filter, before: nil, limit: 20) == AuditLogPage(entries: [], end: nil))
        }
    }

    @Test func `captures with and without results, and devices, are found by the beginning of their ids`() async throws
    {
        try await withArchive { store, first, second in
            let all = try await store.list(CaptureFilter(), after: nil, limit: 500)
            #expect(Set(all.map { $0.result == nil }) == [true, false])
            for capture in all.map(\.id) {
                let prefix = try #require(IDPrefix(capture.description.prefix(30).uppercased()))
                #expect(try await store.ids(beginningWith: prefix).captures.contains(capture))
            }
            for device in [first.id, second.id] {
                let prefix = try #require(IDPrefix(String(device.description.prefix(8))))
                #expect(try await store.ids(beginningWith: prefix).devices.contains(device))
            }
            let unknown = try #require(IDPrefix("ffffffff-ffff"))
            #expect(try await store.ids(beginningWith: unknown) == FoundIDs())
        }
    }

    @Test func `a look into the audit ends after so many entries, and says where`() async throws {
        try await withArchive { store, _, _ in
            let early = AuditEntry(at: moment(1), actor: "alice", action: .queuePause, subject: "queue")
            let noted = (2...6).map { second in
                AuditEntry(at: moment(second), actor: "gateway", action: .deviceRegister, subject: "x")
            }
            try await store.recordAudit([early] + noted)
            let page = try await store.auditLog(.deeds, before: nil, limit: 10, looksMax: 3)
            #expect(page.entries.isEmpty && page.end?.at == moment(4))
            let next = try await store.auditLog(.deeds, before: page.end?.number, limit: 1, looksMax: 3)
            #expect(next.entries.map(\.entry) == [early] && next.end == nil)
        }
    }

    @Test func `a look into the audit ends with its last entry, whatever is noted meanwhile`() async throws {
        try await withArchive { store, _, _ in
            let entry = AuditEntry(at: moment(1), actor: "alice", action: .queuePause, subject: "queue")
            async let noted: Void = Self.note(entry, times: 300, in: store)
            for _ in 0..<100 {
                let page = try await store.auditLog(AuditFilter(), before: nil, limit: 10, looksMax: 3)
                #expect(page.entries.count == 3 && page.entries.last?.number == page.end?.number)
            }
            try await noted
        }
    }

    private static func note(_ entry: AuditEntry, times: Int, in store: PostgresCaptureStore) async throws {
        for _ in 0..<times { try await store.recordAudit([entry]) }
    }

    /// Two devices, with 20 and 10 results, one a second from second 100 on, and two more captures each that wait.
    ///
    /// The first one has 10 verified and 10 rejected ones, the second, unattested, 10 verified ones.
    private func withArchive(_ body: (PostgresCaptureStore, Device, Device) async throws -> Void) async throws {
        try await withPostgresStore { store, client in
            let (first, second) = (
                try await store.registered(key: 1), try await store.registered(key: 2, level: .unverified)
            )
            for index in 0..<10 {
                let at = moment(100 + index)
                _ = try await store.settle(
                    [
                        .sample(first, counter: UInt32(101 + index), receivedAt: at),
                        .sample(second, counter: UInt32(101 + index), receivedAt: at),
                        index < 5
                            ? .sample(first, counter: 1, receivedAt: at)
                            : .sample(first, counter: nil, rejection: .signatureInvalid, receivedAt: at),
                    ], policy: .strict)
            }
            var maker = SubmissionMaker(seed: 8)
            let open = [first, first, second, second].enumerated().map { index, device in
                maker.submission(of: device.id, receivedAt: moment(200 + index))
            }
            _ = try await PostgresIntakeLedger(client: client).record(open)
            try await body(store, first, second)
        }
    }
}
