import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `What a fault ends half-way at the dashboard` {
    /// A record that takes no closing notes.
    private struct NoClosingNotes: ForwardingStore {
        let memory: MemoryCaptureStore

        func recordAudit(_ entries: [AuditEntry]) async throws(StoreError) {
            if entries.contains(where: { $0.action.hasSuffix(".missed") }) { throw StoreError(.unavailable, "away") }
            try await memory.recordAudit(entries)
        }
    }

    private static func fixture(
        _ fixture: GatewayFixture, store: (any CaptureStore)? = nil, pauseFault: QueueError? = nil,
        beforeDiscard: @escaping @Sendable (CaptureID) async throws(QueueError) -> Void = { _ in }
    ) -> GatewayFixture {
        var queue = MemoryOperatedQueue(memory: fixture.queue)
        queue.pauseFault = pauseFault
        queue.beforeDiscard = beforeDiscard
        var fixture = fixture
        fixture.dependencies.operators = OperatorDependencies(
            actions: QueueActions(
                queue: queue, store: store ?? fixture.store, ledger: nil, isLedgerKept: false,
                now: fixture.time.source),
            archive: ListedArchive(), sessions: MemorySessions())
        return fixture
    }

    private static func form(_ places: [String]) -> [(String, String)] {
        [("action", "discard"), ("confirmed", "1")] + places.map { ("letter", $0) }
    }

    @Test(
        arguments: [
            (QueueError(.unavailable, "away"), "discarded: 3 of 6; not discarded: 3"),
            (QueueError(.outcomeUnknown, "lost"), "discarded: 3 of 6; not discarded: 2; outcome unknown: 1"),
        ])
    func `what a fault ends half-way says how far it came`(fault: QueueError, words: String) async throws {
        let plain = try GatewayFixture()
        // Four are discarded at once, and after a fault among them no others.
        let dead = try await plain.queue.bury(Array(repeating: "refused", count: 6), seed: 1)
        let third = dead[2]
        let fixture = Self.fixture(plain) { id throws(QueueError) in
            if id == third { throw fault }
        }
        try await fixture.runLoggedIn { login in
            let form = Self.form(try await plain.queue.places(of: dead))
            let answer = try await login.post("/dashboard/dead", form)
            #expect(answer.status == 503 && answer.headers.first(name: "Retry-After") == "2")
            #expect(answer.text.contains("he service is temporarily unavailable; \(words).<"), "\(answer.text)")
            #expect(try await fixture.queue.load().deadLetters == 3)
        }
    }

    @Test
    func `what a fault ends is done where only the closing note was not taken, and says what the audit has wrong`()
        async throws
    {
        let plain = try GatewayFixture()
        let dead = try await plain.queue.bury(["refused", "refused"], seed: 1)
        let (first, memory) = (dead[0], plain.queue)
        let fixture = Self.fixture(plain, store: NoClosingNotes(memory: plain.store)) { id throws(QueueError) in
            // Somebody puts it back at this very moment.
            if id == first { #expect(try await memory.redrive(id)) }
        }
        try await fixture.runLoggedIn { login in
            let form = Self.form(try await plain.queue.places(of: dead))
            let answer = try await login.post("/dashboard/dead", form)
            #expect(answer.status == 303)
            let location = try #require(answer.location)
            #expect(answer.deed == "/dashboard/dead?done=discarded&count=1&missing=1&audit=ahead")
            let page = try await login.get(location)
            #expect(page.text.contains("1 capture was deleted for good. 1 other was no longer a dead letter."))
            let audit = "The audit also lists captures that were no longer dead letters; correcting it failed."
            #expect(page.text.contains(audit))
        }
    }

    @Test(arguments: [true, false])
    func `the dashboard says of a pause that did not come about whether the audit has it`(isNoted: Bool) async throws {
        let plain = try GatewayFixture()
        let store: any CaptureStore = isNoted ? plain.store : NoClosingNotes(memory: plain.store)
        let fixture = Self.fixture(plain, store: store, pauseFault: QueueError(.unavailable, "away"))
        try await fixture.runLoggedIn { login in
            let answer = try await login.post("/dashboard/queue", [("action", "pause")])
            #expect(answer.status == 503)
            let audit = "the audit may list the queue as paused, which it was not"
            #expect(answer.text.contains(audit) != isNoted, "\(answer.text)")
        }
    }
}
