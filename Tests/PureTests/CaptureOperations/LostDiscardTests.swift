import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@Suite("A discard whose answer is lost", .timeLimit(.minutes(1)))
struct LostDiscardTests {
    /// How it ends.
    enum End: CaseIterable {
        /// The queue has not discarded the capture, and says so when it is asked.
        case untouched
        /// It has discarded it.
        case done
        /// It has not, and cannot be asked.
        case silent
    }

    /// A queue that gives no answer to a discard, and in which somebody else may discard what is to be put back.
    private final class ForgetfulQueue: OperatedQueue, ForwardingQueue {
        let memory: MemoryCaptureQueue
        private let end: End
        private let isOvertaken: Bool
        private let isAway = Mutex(false)

        init(_ end: End, isOvertaken: Bool, memory: MemoryCaptureQueue) {
            self.end = end
            self.isOvertaken = isOvertaken
            self.memory = memory
        }

        func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool {
            if end == .done { #expect(try await memory.discard(letter)) }
            isAway.withLock { $0 = end == .silent }
            throw QueueError(.outcomeUnknown, "the answer was lost")
        }
        func redrive(_ capture: CaptureID, from device: DeviceID) async throws(QueueError) -> Bool {
            if isOvertaken { #expect(try await memory.discardLetter(of: capture)) }
            return try await memory.redrive(capture, from: device)
        }
        func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
            if isAway.withLock({ $0 }) { throw QueueError(.unavailable, "away") }
            return try await memory.status(of: captures)
        }
        func setPaused(since: Timestamp?) async throws(QueueError) {}
    }

    /// A dead letter that was received a day ago, with its row in the ledger, and a discard of it.
    private struct Scene {
        let ledger: MemoryIntakeLedger
        let store: MemoryCaptureStore
        let submission: CaptureSubmission
        let letter: DeadLetter
        private let queue: ForgetfulQueue
        private let time: ManualTime

        init(_ end: End, isOvertaken: Bool = false) async throws {
            let time = ManualTime()
            let ledger = MemoryIntakeLedger(time: time.source)
            store = MemoryCaptureStore(time: time.source)
            let memory = MemoryCaptureQueue(time: time.source)
            let submission = SubmissionMaker.submission(seed: 41, receivedAt: time.now)
            #expect(try await ledger.record([submission]) == [.recorded])
            time.advance(by: .seconds(86_400))
            letter = try await memory.bury(submission)
            queue = ForgetfulQueue(end, isOvertaken: isOvertaken, memory: memory)
            (self.ledger, self.submission, self.time) = (ledger, submission, time)
        }

        func act(
            _ verb: LetterVerb, isLedgerKept: Bool = true, isFaulty: Bool = false
        ) async -> QueueActions.Outcome {
            let actions = QueueActions(
                queue: queue, store: store, ledger: ledger, isLedgerKept: isLedgerKept, now: time.source)
            let (outcome, fault) = await actions.act(verb, on: [letter], by: "alice")
            #expect((fault != nil) == (verb == .discard || isFaulty))
            return outcome
        }

        func row() async throws -> IntakeEntry? { try await ledger.entries(of: [letter.id]).first }

        /// The digest of what was submitted; the queue has another one.
        var ownDigest: SHA256Digest {
            BundleDigest.compute(
                device: submission.device, assertion: .hash(submission.assertion), photo: submission.photoDigest,
                depth: submission.depthDigest, metadata: .hash(submission.metadata))
        }
    }

    @Test(arguments: End.allCases)
    func `a discard whose answer is lost keeps the row of what the queue has, and tells where it could not look`(
        end: End
    ) async throws {
        let scene = try await Scene(end)
        let outcome = await scene.act(.discard)
        #expect(outcome.done == 0 && outcome.unknown == [scene.letter.id] && outcome.interrupted.isEmpty)
        #expect(outcome.rowless == (end == .silent ? [scene.letter.id] : []))
        let row = try await scene.row()
        #expect((row != nil) == (end == .untouched))
    }

    /// Otherwise the next loss of Redis's data would lose it, although it was accepted.
    @Test func `a discard whose answer is lost leaves a capture that gets its row again when it is put back`()
        async throws
    {
        let scene = try await Scene(.silent)
        _ = await scene.act(.discard)
        #expect(try await scene.row() == nil)
        #expect(await scene.act(.redrive).done == 1)
        let row = try #require(try await scene.row())
        #expect(row.submission.hasSameBytes(as: scene.submission) && row.isDead)
        // With later times, it might be called younger than a revocation of its device.
        #expect(row.submission.receivedAt == scene.submission.receivedAt)
        #expect(row.recordedAt == scene.submission.receivedAt)
    }

    /// The queue's digest is its sender's word: under that of a genuine bundle, the row would take its place.
    @Test func `what is put back without a row gets one by its own digest`() async throws {
        let scene = try await Scene(.silent)
        _ = await scene.act(.discard)
        _ = await scene.act(.redrive)
        #expect(try await scene.row()?.submission.bundleDigest == scene.ownDigest)
        #expect(scene.ownDigest != scene.submission.bundleDigest)
    }

    /// Otherwise the row would have the time of the redrive, and no later redrive would look at it again.
    @Test func `what could not be put back for its row gets one with its own times the next time`() async throws {
        let scene = try await Scene(.silent)
        _ = await scene.act(.discard)
        await scene.ledger.fail(reinstating: StoreError(.unavailable, "away"))
        #expect(await scene.act(.redrive, isFaulty: true).interrupted == [scene.letter.id])
        #expect(try await scene.row() == nil)
        await scene.ledger.fail(reinstating: nil)
        #expect(await scene.act(.redrive).done == 1)
        let row = try #require(try await scene.row())
        #expect(row.recordedAt == scene.submission.receivedAt && row.place == 2 && row.isDead)
    }

    @Test func `what is put back without a row gets none where its bundle is another capture's by now`() async throws {
        let scene = try await Scene(.silent)
        _ = await scene.act(.discard)
        var maker = SubmissionMaker(seed: 42)
        let other = maker.submission(
            of: scene.submission.device, digest: scene.ownDigest, receivedAt: scene.submission.receivedAt)
        #expect(try await scene.ledger.record([other]) == [.recorded])
        #expect(await scene.act(.redrive).done == 1)
        #expect(try await scene.ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == [other.id])
    }

    /// The row of a verified capture goes with its result: none is missing.
    @Test func `what is put back without a row gets none where it has its result`() async throws {
        let scene = try await Scene(.silent)
        _ = await scene.act(.discard)
        let received = scene.letter.status.receivedAt
        let job = CaptureJob(
            submission: scene.submission, receivedAt: received, claimedAt: received, attempts: 1, isRedriven: false)
        let examined = ExaminedCapture(
            job: job, clientDataHash: .hash([]), checks: [],
            outcome: .rejected(.signatureInvalid, device: nil, counter: nil), capturedAt: nil, verifiedAt: received)
        _ = try await scene.store.settle([examined], policy: .strict)
        #expect(await scene.act(.redrive).done == 1)
        #expect(try await scene.row() == nil)
    }

    @Test func `what is put back without a row gets none where somebody discards it at that very moment`()
        async throws
    {
        let scene = try await Scene(.untouched, isOvertaken: true)
        #expect(try await scene.ledger.discard(scene.letter.id) != nil)
        let outcome = await scene.act(.redrive)
        #expect(outcome.done == 0 && outcome.missing == [scene.letter.id])
        #expect(try await scene.row() == nil)
    }

    @Test func `what is put back gets no row where gateways keep no ledger`() async throws {
        let scene = try await Scene(.silent)
        _ = await scene.act(.discard, isLedgerKept: false)
        #expect(await scene.act(.redrive, isLedgerKept: false).done == 1)
        #expect(try await scene.row() == nil)
    }
}
