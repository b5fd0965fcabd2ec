import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@Suite("What is done to several dead letters and ends half-way", .timeLimit(.minutes(1)))
struct InterruptedDeedTests {
    /// A queue that is away from one capture on.
    private struct FadingQueue: OperatedQueue, ForwardingQueue {
        let memory: MemoryCaptureQueue
        let last: CaptureID

        private func ask(_ capture: CaptureID) throws(QueueError) {
            if capture == last { throw QueueError(.unavailable, "away") }
        }

        func redrive(_ capture: CaptureID) async throws(QueueError) -> Bool {
            try ask(capture)
            return try await memory.redrive(capture)
        }
        func discard(_ capture: CaptureID) async throws(QueueError) -> Bool {
            try ask(capture)
            return try await memory.discard(capture)
        }
        func overview() async throws(QueueError) -> QueueOverview { throw QueueError(.refused, "not asked for") }
        func tallies(_ span: Tally.Span, count: Int) async throws(QueueError) -> [Tally] { [] }
        func setPaused(_ paused: Bool) async throws(QueueError) {}
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

    private struct Scene {
        let desk: OperatorDesk
        let letters: [DeadLetter]
        let store: MemoryCaptureStore

        init(notesMax: Int = .max) async throws {
            let time = ManualTime()
            let memory = MemoryCaptureQueue(time: time.source)
            var maker = SubmissionMaker(seed: 33)
            var letters: [DeadLetter] = []
            for _ in 0..<5 {
                let capture = maker.submission(of: maker.device())
                #expect(try await memory.enqueue(capture) == .accepted)
                let lease = try #require(try await memory.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
                let item = LaneSettlement.Item(id: capture.id, disposition: .dead(.attemptsExhausted, fault: "gone"))
                _ = try await memory.settle([
                    LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)
                ])
                letters.append(try #require(try await memory.deadLetter(capture.id)))
            }
            self.letters = letters
            store = MemoryCaptureStore(time: time.source)
            desk = OperatorDesk(
                queue: FadingQueue(memory: memory, last: letters[2].id),
                store: ShortAudit(memory: store, notesMax: notesMax), ledger: nil, now: time.source)
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

    private static let verbs = ["redrive", "discard"]

    private func act(
        _ verb: String, _ scene: Scene, _ outcome: inout OperatorDesk.Outcome
    ) async throws(OperatorDesk.Fault) {
        if verb == "redrive" {
            try await scene.desk.redrive(scene.letters, by: "alice", adding: &outcome)
        } else {
            try await scene.desk.discard(scene.letters, by: "alice", adding: &outcome)
        }
    }

    @Test(arguments: verbs)
    func `tells how far it came, and the audit has the rest as missed`(verb: String) async throws {
        let scene = try await Scene()
        var outcome = OperatorDesk.Outcome()
        do throws(OperatorDesk.Fault) {
            try await act(verb, scene, &outcome)
            Issue.record("nothing was thrown")
        } catch {
            guard case .queue(let fault) = error else { throw error }
            #expect(fault == QueueError(.unavailable, ""))
        }
        #expect(outcome.done == 2 && outcome.missing.isEmpty && !outcome.isAuditAhead)
        #expect(outcome.interrupted == scene.letters[2...].map(\.id))
        let (done, missed) = (["capture.\(verb)"], ["capture.\(verb).missed", "capture.\(verb)"])
        #expect(try await scene.trails() == [done, done, missed, missed, missed])
        let note = try await scene.store.auditTrail(of: "\(scene.letters[4].id)", limit: 1).first
        #expect(note?.actor == "alice" && note?.details["fault"]?.contains("away") == true)
    }

    @Test(arguments: verbs)
    func `says so where the audit cannot be told either, and throws what came first`(verb: String) async throws {
        let scene = try await Scene(notesMax: 1)
        var outcome = OperatorDesk.Outcome()
        do throws(OperatorDesk.Fault) {
            try await act(verb, scene, &outcome)
            Issue.record("nothing was thrown")
        } catch {
            guard case .queue = error else { throw error }
        }
        #expect(outcome.done == 2 && outcome.interrupted.count == 3 && outcome.isAuditAhead)
    }

    @Test func `is not begun where the audit takes nothing`() async throws {
        let scene = try await Scene(notesMax: 0)
        var outcome = OperatorDesk.Outcome()
        do throws(OperatorDesk.Fault) {
            try await act("redrive", scene, &outcome)
            Issue.record("nothing was thrown")
        } catch {
            guard case .store = error else { throw error }
        }
        #expect(outcome.done == 0 && outcome.interrupted == scene.letters.map(\.id) && !outcome.isAuditAhead)
    }
}
