import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import NIOCore
import Synchronization
import TestSupport
import Testing

@Suite("Discarding a dead letter", .timeLimit(.minutes(1)))
struct DiscardTests {
    /// A record that counts what is noted in each transaction.
    private final class CountedAudit: ForwardingStore {
        let memory: MemoryCaptureStore
        let counts = Mutex<[Int]>([])

        init(memory: MemoryCaptureStore) { self.memory = memory }

        func recordAudit(_ entries: [AuditEntry]) async throws(StoreError) {
            counts.withLock { $0.append(entries.count) }
            try await memory.recordAudit(entries)
        }
    }

    /// A dead letter with its row in the ledger, and what may happen to it at the moment at which it is discarded.
    private struct Scene {
        let queue: MemoryOperatedQueue
        let ledger: MemoryIntakeLedger
        let audit: CountedAudit
        let actions: QueueActions
        let letter: DeadLetter

        typealias Event = @Sendable (MemoryCaptureQueue, MemoryIntakeLedger, CaptureID) async throws(QueueError) -> Void

        init(
            meanwhile: @escaping Event = { _, _, _ in }, passing: @escaping @Sendable (ManualTime) -> Void = { _ in }
        ) async throws {
            let time = ManualTime()
            let memory = MemoryCaptureQueue(time: time.source)
            let ledger = MemoryIntakeLedger(time: time.source)
            let capture = SubmissionMaker.submission(seed: 9)
            #expect(try await ledger.record([capture]) == [.recorded])
            letter = try await memory.bury(capture)
            var queue = MemoryOperatedQueue(memory: memory)
            queue.beforeDiscard = { id throws(QueueError) in
                passing(time)
                try await meanwhile(memory, ledger, id)
            }
            self.queue = queue
            self.ledger = ledger
            let audit = CountedAudit(memory: MemoryCaptureStore(time: time.source))
            self.audit = audit
            actions = QueueActions(queue: queue, store: audit, ledger: ledger, isLedgerKept: true, now: time.source)
        }

        func discard() async throws -> (outcome: QueueActions.Outcome, rows: Int) {
            let outcome = try await actions.discard([letter], by: "alice")
            return (outcome, try await ledger.entries(of: [letter.id]).count)
        }
    }

    @Test func `a discard takes its row in the ledger along`() async throws {
        let scene = try await Scene()
        let (outcome, rows) = try await scene.discard()
        #expect(outcome.done == 1 && rows == 0)
    }

    @Test func `a discard of more than one transaction notes is noted in several`() async throws {
        let (scene, lettersMax) = (try await Scene(), QueueActions.lettersMax)
        let letters = Array(repeating: scene.letter, count: lettersMax + 1)
        let outcome = try await scene.actions.discard(letters, by: "alice")
        #expect(outcome.done == 1 && outcome.missing.count == lettersMax)
        // Each page's actions, and then those that were missed.
        #expect(scene.audit.counts.withLock { $0 } == [lettersMax, lettersMax - 1, 1, 1])
        let stopped = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scene = try await Scene()
            let pageMax = QueueActions.lettersMax + 1
            _ = await scene.actions.act(.discard, on: [scene.letter], by: "alice", pageMax: pageMax)
        }
        #expect(stopped.errorText.contains("more letters than one transaction notes"))
    }

    @Test func `a discard leaves what was put back since it was chosen, and its row`() async throws {
        let scene = try await Scene()
        #expect(try await scene.queue.redrive(scene.letter.id))
        let (outcome, rows) = try await scene.discard()
        #expect(outcome.done == 0 && outcome.missing == [scene.letter.id] && rows == 1)
    }

    @Test func `a discard leaves what was given up anew since it was chosen, and its row`() async throws {
        let scene = try await Scene()
        var older = scene.letter
        older.diedAt = older.diedAt.advanced(by: .milliseconds(-1))
        let outcome = try await scene.actions.discard([older], by: "alice")
        #expect(outcome.done == 0 && outcome.missing == [older.id])
        #expect(try await scene.ledger.entries(of: [older.id]).count == 1)
        #expect(try await scene.queue.deadLetter(older.id) == scene.letter)
    }

    @Test func `a discard reinstates the row of what is put back at that very moment`() async throws {
        let scene = try await Scene { (queue, _, id) throws(QueueError) in #expect(try await queue.redrive(id)) }
        let (outcome, rows) = try await scene.discard()
        #expect(outcome.done == 0 && outcome.missing == [scene.letter.id] && rows == 1)
    }

    @Test func `a discard leaves what is put back and given up anew at that very moment, and its row`() async throws {
        let scene = try await Scene { (queue, _, id) async throws(QueueError) in
            #expect(try await queue.redrive(id))
            let leases = try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero)
            let items = [LaneSettlement.Item(id: id, disposition: .dead(.internal, fault: "anew"))]
            _ = try await queue.settle(
                leases.map {
                    LaneSettlement(token: $0.token, device: $0.device, items: items, continuation: .ready)
                })
        } passing: {
            $0.advance(by: .seconds(1))
        }
        let (outcome, rows) = try await scene.discard()
        #expect(outcome.done == 0 && outcome.missing == [scene.letter.id] && rows == 1)
        #expect(try await scene.queue.deadLetter(scene.letter.id)?.status.fault == "anew")
    }

    @Test func `a discard goes on with the others where a bundle is recorded as another capture at that very moment`()
        async throws
    {
        let scene = try await Scene { (queue, ledger, id) async throws(QueueError) in
            #expect(try await queue.redrive(id))
            var maker = SubmissionMaker(seed: 9)
            let first = maker.submission(of: maker.device())
            let other = maker.submission(of: first.device, digest: first.bundleDigest)
            do throws(StoreError) {
                let outcomes = try await ledger.record([other])
                #expect(outcomes == [.recorded])
            } catch {
                Issue.record(error)
            }
        }
        let outcome = try await scene.actions.discard([scene.letter, scene.letter], by: "alice")
        #expect(outcome.done == 0 && outcome.interrupted.isEmpty)
        #expect(outcome.missing == [scene.letter.id, scene.letter.id])
        #expect(outcome.rowless == [scene.letter.id])
    }

    @Test
    func `a discard leaves no row open of what is put back and settled at that very moment, once somebody claims it`()
        async throws
    {
        let scene = try await Scene { (queue, ledger, id) async throws(QueueError) in
            #expect(try await queue.redrive(id))
            let leases = try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero)
            // There is no row to close when the result is written.
            await ledger.close([id])
            let items = [LaneSettlement.Item(id: id, disposition: .settled(.verified))]
            let settlements = leases.map {
                LaneSettlement(token: $0.token, device: $0.device, items: items, continuation: .ready)
            }
            let outcomes = try await queue.settle(settlements)
            #expect(outcomes == [.settled])
        }
        let (outcome, rows) = try await scene.discard()
        #expect(outcome.done == 0 && outcome.missing == [scene.letter.id] && rows == 1)
        #expect(try await scene.ledger.claim(scene.letter.id) == nil)
        #expect(try await scene.ledger.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty)
    }
}
