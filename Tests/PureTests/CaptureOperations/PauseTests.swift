import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@Suite("A pause that was begun", .timeLimit(.minutes(1)))
struct PauseTests {
    /// A queue that tells that it is paused as soon as one of its partitions is.
    private final class HalfPausedQueue: OperatedQueue, ForwardingQueue {
        let memory = MemoryCaptureQueue(time: ManualTime().source)
        let told = Mutex<[Bool]>([])

        func load() async throws(QueueError) -> QueueLoad {
            var load = try await memory.load()
            load.isPaused = true
            return load
        }
        func setPaused(since: Timestamp?) async throws(QueueError) {
            told.withLock { $0.append(since != nil) }
        }
    }

    /// A queue that somebody pauses right after it was looked at.
    private struct OvertakenQueue: OperatedQueue, ForwardingQueue {
        let memory = MemoryCaptureQueue(time: ManualTime().source)

        func load() async throws(QueueError) -> QueueLoad {
            let load = try await memory.load()
            memory.setPaused(true)
            return load
        }
        func setPaused(since: Timestamp?) async throws(QueueError) { memory.setPaused(since != nil) }
    }

    @Test func `a pause that was begun is not ended by a resume that has found none`() async throws {
        let (queue, time) = (OvertakenQueue(), ManualTime())
        let store = MemoryCaptureStore(time: time.source)
        let actions = QueueActions(queue: queue, store: store, ledger: nil, isLedgerKept: false, now: time.source)
        #expect(try await actions.tellQueue(to: .resume, by: "bob") == false)
        #expect(try await queue.memory.load().isPaused)
        #expect(try await store.auditTrail(of: "queue", limit: 5).isEmpty)
        #expect(try await actions.tellQueue(to: .resume, by: "bob"))
        #expect(try await store.auditTrail(of: "queue", limit: 5).map(\.actor) == ["bob"])
    }

    @Test func `a pause that was begun is finished by the next one, which has changed nothing else`() async throws {
        let (queue, time) = (HalfPausedQueue(), ManualTime())
        let store = MemoryCaptureStore(time: time.source)
        let actions = QueueActions(queue: queue, store: store, ledger: nil, isLedgerKept: false, now: time.source)
        #expect(try await actions.tellQueue(to: .pause, by: "alice") == false)
        #expect(queue.told.withLock { $0 } == [true])
        #expect(try await store.auditTrail(of: "queue", limit: 5).isEmpty, "it was noted when it began")
        #expect(try await actions.tellQueue(to: .resume, by: "alice"))
        #expect(queue.told.withLock { $0 } == [true, false])
        #expect(try await store.auditTrail(of: "queue", limit: 5).map(\.action) == ["queue.resume"])
    }

    /// A queue that keeps the moment of its pause.
    private final class KeepingQueue: OperatedQueue, ForwardingQueue {
        let memory = MemoryCaptureQueue(time: ManualTime().source)
        let since = Mutex<[Timestamp?]>([])

        func setPaused(since: Timestamp?) async throws(QueueError) {
            memory.setPaused(since != nil)
            self.since.withLock { $0.append(since) }
        }
    }

    /// By it the audit's entry is found again: a record from a backup may have another pause.
    @Test func `a pause that was begun is told with the moment that the audit has, and its end with none`() async throws
    {
        let (queue, time) = (KeepingQueue(), ManualTime())
        let store = MemoryCaptureStore(time: time.source)
        let actions = QueueActions(queue: queue, store: store, ledger: nil, isLedgerKept: false, now: time.source)
        #expect(try await actions.tellQueue(to: .pause, by: "alice"))
        let entry = try #require(try await store.auditTrail(of: "queue", limit: 5).first)
        time.advance(by: .seconds(1))
        #expect(try await actions.tellQueue(to: .resume, by: "alice"))
        #expect(queue.since.withLock { $0 } == [entry.at, nil])
    }

    /// A queue that is told nothing, as the server refuses it.
    private final class RefusingQueue: OperatedQueue, ForwardingQueue {
        let memory = MemoryCaptureQueue(time: ManualTime().source)
        let fault: QueueError

        init(_ fault: QueueError) { self.fault = fault }

        func setPaused(since: Timestamp?) async throws(QueueError) { throw fault }
    }

    @Test func `a pause that was begun and did not come about is noted as missed`() async throws {
        let (queue, time) = (RefusingQueue(QueueError(.refused, "no permission")), ManualTime())
        let store = MemoryCaptureStore(time: time.source)
        let actions = QueueActions(queue: queue, store: store, ledger: nil, isLedgerKept: false, now: time.source)
        await #expect(throws: QueueSwitchFault.self) { try await actions.tellQueue(to: .pause, by: "alice") }
        let trail = try await store.auditTrail(of: "queue", limit: 5)
        #expect(trail.map(\.action) == ["queue.pause.missed", "queue.pause"])
        #expect(trail.first?.details["fault"]?.contains("no permission") == true)
        #expect(QueueActions.lastPause(in: trail) == nil)
    }

    /// A record that takes no notes of a kind.
    private struct DeafAudit: ForwardingStore {
        let memory: MemoryCaptureStore
        let action: String
        let fault: StoreError

        func recordAudit(_ entries: [AuditEntry]) async throws(StoreError) {
            if entries.contains(where: { $0.action == action }) { throw fault }
            try await memory.recordAudit(entries)
        }
    }

    @Test(
        arguments: [
            // Noted, refused by the queue, and that could not be noted.
            ("queue.pause.missed", .unavailable, true),
            // The note itself: not taken, or perhaps.
            ("queue.pause", .unavailable, false), ("queue.pause", .outcomeUnknown, true),
            // All notes are taken.
            ("queue.repair", .unavailable, false),
        ] as [(String, StoreError.Code, Bool)])
    func `a pause that was begun and did not come about tells whether the audit has it as done`(
        action: String, code: StoreError.Code, isAhead: Bool
    ) async throws {
        let (queue, time) = (RefusingQueue(QueueError(.refused, "no permission")), ManualTime())
        let store = DeafAudit(
            memory: MemoryCaptureStore(time: time.source), action: action, fault: StoreError(code, "away"))
        let actions = QueueActions(queue: queue, store: store, ledger: nil, isLedgerKept: false, now: time.source)
        let end = await #expect(throws: QueueSwitchFault.self) {
            try await actions.tellQueue(to: .pause, by: "alice")
        }
        #expect(end?.isAuditAhead == isAhead)
    }

    /// A queue that refuses to be paused and cannot be asked after that.
    private final class LostQueue: OperatedQueue, ForwardingQueue {
        let memory = MemoryCaptureQueue(time: ManualTime().source)
        let isLost = Mutex(false)

        func load() async throws(QueueError) -> QueueLoad {
            if isLost.withLock({ $0 }) { throw QueueError(.unavailable, "away") }
            return try await memory.load()
        }
        func setPaused(since: Timestamp?) async throws(QueueError) {
            isLost.withLock { $0 = true }
            throw QueueError(.refused, "no permission")
        }
    }

    @Test func `a pause of which the queue tells nothing more leaves the audit in doubt`() async throws {
        let (queue, time) = (LostQueue(), ManualTime())
        let store = MemoryCaptureStore(time: time.source)
        let actions = QueueActions(queue: queue, store: store, ledger: nil, isLedgerKept: false, now: time.source)
        let end = await #expect(throws: QueueSwitchFault.self) {
            try await actions.tellQueue(to: .pause, by: "alice")
        }
        #expect(end?.isAuditAhead == true)
    }

    @Test func `a pause that was begun and may come about yet is not noted as missed`() async throws {
        let (queue, time) = (RefusingQueue(QueueError(.outcomeUnknown, "the answer was lost")), ManualTime())
        let store = MemoryCaptureStore(time: time.source)
        let actions = QueueActions(queue: queue, store: store, ledger: nil, isLedgerKept: false, now: time.source)
        await #expect(throws: QueueSwitchFault.self) { try await actions.tellQueue(to: .pause, by: "alice") }
        #expect(try await store.auditTrail(of: "queue", limit: 5).map(\.action) == ["queue.pause"])
    }

    @Test(arguments: [
        (["queue.pause", "queue.resume", "queue.pause"], "alice 0"), (["queue.resume", "queue.pause"], nil),
        (["queue.repair", "queue.pause"], "alice 1"), (["queue.repair"], nil), ([], nil),
        (["queue.pause.missed", "queue.pause"], nil),
        (["queue.pause.missed", "queue.pause.missed", "queue.pause", "queue.pause", "queue.resume"], nil),
        (["queue.pause.missed", "queue.pause", "queue.resume", "queue.pause"], nil),
        (["queue.resume.missed", "queue.resume", "queue.pause"], "alice 2"),
    ])
    func `a pause that was begun is whose the audit says, unless a resume came after it`(
        trail: [String], pause: String?
    ) {
        let entries = trail.enumerated().map { place, action in
            AuditEntry(at: ManualTime().source(), actor: "alice \(place)", action: action, subject: "queue")
        }
        #expect(QueueActions.lastPause(in: entries)?.actor == pause)
    }
}
