import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@Suite("What is done to several dead letters and ends half-way", .timeLimit(.minutes(1)))
struct InterruptedActionTests {
    private typealias Scene = InterruptedActionScene

    private func act(
        _ verb: LetterVerb, _ scene: Scene
    ) async -> (outcome: QueueActions.Outcome, fault: ServerFault?) {
        await scene.actions.act(verb, on: scene.letters, by: "alice", until: { scene.stop.isUp })
    }

    /// Acts until a fault ends it.
    private func interrupted(
        _ verb: LetterVerb, _ scene: Scene
    ) async throws -> (outcome: QueueActions.Outcome, fault: ServerFault) {
        let (outcome, fault) = await act(verb, scene)
        return (outcome, try #require(fault, "nothing ended it"))
    }

    @Test(arguments: LetterVerb.allCases, [true, false])
    func `what is done to dead letters tells how far it came, and the audit has the rest as missed`(
        verb: LetterVerb, isLedgered: Bool
    ) async throws {
        let scene = try await Scene(isLedgered: isLedgered)
        let (outcome, fault) = try await interrupted(verb, scene)
        guard case .queue(let error) = fault else { throw fault }
        #expect(error == QueueError(.unavailable, ""))
        #expect(outcome.done == 2 && outcome.missing.isEmpty && !outcome.isAuditAhead)
        #expect(outcome.interrupted == scene.letters[2...].map(\.id))
        #expect(outcome.unknown.isEmpty && outcome.rowless.isEmpty)
        let (done, missed) = (["capture.\(verb)"], ["capture.\(verb).missed", "capture.\(verb)"])
        #expect(try await scene.trails() == [done, done, missed, missed, missed])
        let note = try await scene.store.auditTrail(of: "\(scene.letters[4].id)", limit: 1).first
        #expect(note?.actor == "alice" && note?.details["fault"]?.contains("away") == true)
    }

    @Test(arguments: LetterVerb.allCases)
    func `what is done to dead letters says so where the audit cannot be told either, and tells what came first`(
        verb: LetterVerb
    ) async throws {
        let scene = try await Scene(notesMax: 1)
        let (outcome, fault) = try await interrupted(verb, scene)
        guard case .queue = fault else { throw fault }
        #expect(outcome.done == 2 && outcome.interrupted.count == 3 && outcome.isAuditAhead)
    }

    @Test(arguments: LetterVerb.allCases, [QueueError(.outcomeUnknown, "lost"), QueueError(.malformedReply, "odd")])
    func `what is done to dead letters is not called missed where nobody knows whether it was done`(
        verb: LetterVerb, fault: QueueError
    ) async throws {
        for isLedgered in [true, false] {
            let scene = try await Scene(fault: fault, isLedgered: isLedgered)
            let (outcome, thrown) = try await interrupted(verb, scene)
            guard case .queue(let error) = thrown else { throw thrown }
            #expect(error == fault)
            #expect(outcome.done == 2 && outcome.unknown == [scene.letters[2].id])
            #expect(outcome.interrupted == scene.letters[3...].map(\.id) && outcome.rowless.isEmpty)
            let (done, missed) = (["capture.\(verb)"], ["capture.\(verb).missed", "capture.\(verb)"])
            #expect(try await scene.trails() == [done, done, done, missed, missed])
            // The queue still has the third.
            let areGone = isLedgered && verb == .discard
            #expect(try await scene.rows() == [!areGone, !areGone, true, true, true])
        }
    }

    @Test(arguments: LetterVerb.allCases)
    func `what is done to dead letters page by page leaves the pages after a fault alone, and counts them as left`(
        verb: LetterVerb
    ) async throws {
        let scene = try await Scene()
        let told = Mutex<[Int]>([])
        let (outcome, fault) = await scene.actions.act(
            verb, on: scene.letters, by: "alice", pageMax: 2,
            onPage: { soFar in told.withLock { $0.append(soFar.done) } })
        #expect(fault != nil && told.withLock { $0 } == [2, 2])
        #expect(outcome.done == 2 && outcome.interrupted == scene.letters[2...].map(\.id))
        let (done, missed) = (["capture.\(verb)"], ["capture.\(verb).missed", "capture.\(verb)"])
        #expect(try await scene.trails() == [done, done, missed, missed, []])
    }

    @Test func `what is done to dead letters at once tells of each what came of it, and leaves the rest alone`()
        async throws
    {
        let scene = try await Scene()
        let (outcome, fault) = await scene.actions.act(.discard, on: scene.letters, by: "alice", together: 4)
        #expect(fault != nil && outcome.done == 3)
        #expect(outcome.interrupted == [scene.letters[2].id, scene.letters[4].id])
        let (done, missed) = (["capture.discard"], ["capture.discard.missed", "capture.discard"])
        #expect(try await scene.trails() == [done, done, missed, done, missed])
        #expect(try await scene.rows() == [false, false, true, false, true])
    }

    @Test func `the audit has of each dead letter that was left the fault that it met itself`() async throws {
        let scene = try await Scene(fourthFault: QueueError(.unavailable, "full"))
        let (outcome, _) = await scene.actions.act(.discard, on: scene.letters, by: "alice", together: 4)
        #expect(outcome.interrupted == scene.letters[2...].map(\.id))
        for (letter, fault) in zip(scene.letters[2...], ["away", "full", "away"]) {
            let note = try await scene.store.auditTrail(of: "\(letter.id)", limit: 1).first
            #expect(note?.details["fault"]?.contains(fault) == true, "\(fault)")
        }
    }

    /// A later capture before an earlier one of its device would make that one's counter stale.
    @Test func `what is done to dead letters that are put back is done to one after the other`() async throws {
        let scene = try await Scene()
        let (outcome, fault) = await scene.actions.act(.redrive, on: scene.letters, by: "alice", together: 4)
        #expect(fault != nil && outcome.done == 2)
        #expect(outcome.interrupted == scene.letters[2...].map(\.id))
    }

    /// With the time of now, a genuine capture might be called younger than a revocation of its device.
    @Test func `what is done to dead letters leaves what was not discarded its row in the ledger as it was`()
        async throws
    {
        let scene = try await Scene()
        let left = scene.letters[2...].map(\.id)
        _ = try await scene.ledger.claim(left)
        try await scene.ledger.noteDead(left)
        let rows = try await scene.ledger.entries(of: left)
        let (_, fault) = try await interrupted(.discard, scene)
        guard case .queue = fault else { throw fault }
        #expect(try await scene.rows() == [false, false, true, true, true])
        #expect(try await scene.ledger.entries(of: left) == rows)
    }

    @Test func `what is done to dead letters says which of them has lost its row, where the ledger takes it no more`()
        async throws
    {
        let scene = try await Scene(isLedgerLost: true)
        let (outcome, fault) = try await interrupted(.discard, scene)
        guard case .queue = fault else { throw fault }
        #expect(outcome.rowless == [scene.letters[2].id])
        #expect(outcome.interrupted == scene.letters[2...].map(\.id))
        #expect(try await scene.rows() == [false, false, false, true, true])
    }

    @Test func `what is done to dead letters is not in doubt where only the ledger's answer was lost`() async throws {
        let scene = try await Scene()
        await scene.ledger.fail(with: StoreError(.outcomeUnknown, "lost"))
        let (outcome, fault) = try await interrupted(.discard, scene)
        guard case .store = fault else { throw fault }
        #expect(outcome.unknown.isEmpty && outcome.interrupted == scene.letters.map(\.id))
        #expect(try await scene.rows() == [true, true, true, true, true])
    }

    @Test(arguments: LetterVerb.allCases)
    func `what is done to dead letters ends after the one under way when it is told to stop, which is no fault`(
        verb: LetterVerb
    ) async throws {
        let scene = try await Scene(fault: nil, isStopped: true)
        let (outcome, fault) = await act(verb, scene)
        #expect(fault == nil)
        #expect(outcome.done == 3 && outcome.interrupted == scene.letters[3...].map(\.id))
        let (done, missed) = (["capture.\(verb)"], ["capture.\(verb).missed", "capture.\(verb)"])
        #expect(try await scene.trails() == [done, done, done, missed, missed])
        let note = try await scene.store.auditTrail(of: "\(scene.letters[4].id)", limit: 1).first
        #expect(note?.details["fault"] == "told to stop")
    }

    @Test(arguments: LetterVerb.allCases)
    func `what is done to dead letters is not noted where it is told to stop before`(verb: LetterVerb) async throws {
        let scene = try await Scene()
        scene.stop.raise()
        let (outcome, fault) = await act(verb, scene)
        #expect(fault == nil)
        #expect(outcome.done == 0 && outcome.interrupted == scene.letters.map(\.id))
        #expect(try await scene.trails().allSatisfy(\.isEmpty))
    }

    @Test func `what is done to dead letters is not begun where the audit takes nothing`() async throws {
        let scene = try await Scene(notesMax: 0)
        let (outcome, fault) = try await interrupted(.redrive, scene)
        guard case .store = fault else { throw fault }
        #expect(outcome.done == 0 && outcome.interrupted == scene.letters.map(\.id) && !outcome.isAuditAhead)
    }
}
