import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

/// Five dead letters, of which the third meets the fault, and the fourth one of its own if there is one.
struct InterruptedActionScene {
    /// A queue that fails at one capture or two, before it does anything to them.
    private struct FadingQueue: OperatedQueue, ForwardingQueue {
        let memory: MemoryCaptureQueue
        let last: CaptureID
        let fault: QueueError?
        /// A capture with a fault of its own.
        let other: (capture: CaptureID, fault: QueueError?)
        /// What happens before it fails at the first.
        let meanwhile: @Sendable () async -> Void

        private func ask(_ capture: CaptureID) async throws(QueueError) {
            if capture == other.capture, let fault = other.fault { throw fault }
            guard capture == last else { return }
            await meanwhile()
            if let fault { throw fault }
        }

        func redrive(_ capture: CaptureID, from device: DeviceID) async throws(QueueError) -> Bool {
            try await ask(capture)
            return try await memory.redrive(capture, from: device)
        }
        func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool {
            try await ask(letter.capture)
            return try await memory.discard(letter)
        }
        func setPaused(since: Timestamp?) async throws(QueueError) {}
    }

    /// A record whose audit takes so many notes.
    private final class ShortAudit: ForwardingStore {
        let memory: MemoryCaptureStore
        private let notesLeft: Mutex<Int>

        init(memory: MemoryCaptureStore, notesMax: Int) {
            self.memory = memory
            notesLeft = Mutex(notesMax)
        }

        func recordAudit(_ entries: [AuditEntry]) async throws(StoreError) {
            let isRoom = notesLeft.withLock { left in
                left -= 1
                return left >= 0
            }
            guard isRoom else { throw StoreError(.unavailable, "away") }
            try await memory.recordAudit(entries)
        }
    }

    /// Something that somebody says once.
    final class Flag: Sendable {
        private let state = Mutex(false)

        var isUp: Bool { state.withLock { $0 } }
        func raise() { state.withLock { $0 = true } }
    }

    let actions: QueueActions
    let letters: [DeadLetter]
    let store: MemoryCaptureStore
    let ledger: MemoryIntakeLedger
    let stop: Flag

    init(
        notesMax: Int = .max, fault: QueueError? = QueueError(.unavailable, "away"), fourthFault: QueueError? = nil,
        isLedgered: Bool = true, isLedgerLost: Bool = false, isStopped: Bool = false
    ) async throws {
        let time = ManualTime()
        let (ledger, stop) = (MemoryIntakeLedger(time: time.source), Flag())
        let memory = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 33)
        var letters: [DeadLetter] = []
        for _ in 0..<5 {
            let capture = maker.submission(of: maker.device())
            #expect(try await ledger.record([capture]) == [.recorded])
            letters.append(try await memory.bury(capture))
        }
        self.letters = letters
        self.ledger = ledger
        self.stop = stop
        store = MemoryCaptureStore(time: time.source)
        let fourth = (capture: letters[3].id, fault: fourthFault)
        let queue = FadingQueue(memory: memory, last: letters[2].id, fault: fault, other: fourth) {
            time.advance(by: .seconds(60))
            if isLedgerLost { await ledger.fail(with: StoreError(.unavailable, "away")) }
            if isStopped { stop.raise() }
        }
        actions = QueueActions(
            queue: queue, store: ShortAudit(memory: store, notesMax: notesMax),
            ledger: isLedgered ? ledger : nil, isLedgerKept: isLedgered, now: time.source)
    }

    /// Which of the letters have rows in the ledger.
    func rows() async throws -> [Bool] {
        await ledger.fail(with: nil)
        let kept = try await ledger.entries(of: letters.map(\.id)).map(\.submission.id)
        return letters.map { kept.contains($0.id) }
    }

    /// What the audit has of each letter, latest first.
    func trails() async throws -> [[String]] {
        var trails: [[String]] = []
        for letter in letters {
            trails.append(try await store.auditTrail(of: "\(letter.id)", limit: 9).map(\.action))
        }
        return trails
    }
}
