import CaptureModel
import CaptureQueue
import CaptureStore
import CoreMetrics
import DeviceSimulator
import Latch
import Logging
import Observability
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

/// A queue whose only partition stands where a test says, and which has everything, or lacks everything.
private final class StandingQueue: RestorableQueue {
    let restoration: Mutex<Result<Restoration, QueueError>>
    private let looks = Mutex(0)
    /// What comes of a capture that is put back; `nil` as long as it has all of them.
    let outcome: Mutex<RestoreOutcome?>

    init(_ restoration: Result<Restoration, QueueError>, outcome: RestoreOutcome? = nil) {
        self.restoration = Mutex(restoration)
        self.outcome = Mutex(outcome)
    }

    static let mark = RestorationMark(text: "00000000-0000-4000-8000-000000000001")

    /// How often somebody asked where it stands.
    var count: Int { looks.withLock { $0 } }

    func partition(of device: DeviceID) -> Int { 0 }
    func restorations() async throws(QueueError) -> [Restoration] {
        looks.withLock { $0 += 1 }
        return [try restoration.withLock { $0 }.get()]
    }
    func beginRestoration(of: Int, mark: RestorationMark) async throws(QueueError) -> Restoration { .restoring(mark) }
    func finishRestoration(of: Int, mark: RestorationMark) async throws(QueueError) -> Restoration { .restored(mark) }
    func note(refused: [Int: QueueError]) {}
    func presence(of captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [Presence] {
        captures.map { _ in outcome.withLock { $0 == nil } ? .known : .unknown }
    }
    func deaths(
        in: Int, after: DeadLetter.Position?, limit: Int
    ) async throws(QueueError) -> [DeadLetter.Position] { [] }
    func redrive(_ capture: CaptureID, in: Int) async throws(QueueError) -> Bool { false }
    func restore(
        _ captures: [LostCapture], in: Int, under: RestorationMark
    ) async throws(QueueError) -> [RestoreOutcome] { captures.map { _ in outcome.withLock { $0 } ?? .known } }
}

/// A queue whose answer does not come before the caller is cancelled.
private struct BrokenOffQueue: RestorableQueue {
    /// Opened by whoever asks.
    let asked: Latch

    func partition(of device: DeviceID) -> Int { 0 }
    func restorations() async throws(QueueError) -> [Restoration] {
        asked.open()
        let never = Latch()
        do { try await never.pass() } catch { throw QueueError(.outcomeUnknown, "the calling task was cancelled") }
        return []
    }
    func beginRestoration(of: Int, mark: RestorationMark) async throws(QueueError) -> Restoration { .restoring(mark) }
    func finishRestoration(of: Int, mark: RestorationMark) async throws(QueueError) -> Restoration { .restored(mark) }
    func note(refused: [Int: QueueError]) {}
    func presence(
        of captures: [(capture: CaptureID, device: DeviceID)]
    ) async throws(QueueError) -> [Presence] { [] }
    func deaths(
        in: Int, after: DeadLetter.Position?, limit: Int
    ) async throws(QueueError) -> [DeadLetter.Position] { [] }
    func redrive(_ capture: CaptureID, in: Int) async throws(QueueError) -> Bool { false }
    func restore(
        _ captures: [LostCapture], in: Int, under: RestorationMark
    ) async throws(QueueError) -> [RestoreOutcome] { [] }
}

@Suite(.timeLimit(.minutes(1))) struct `The reconciler` {
    private static func reconciler(
        _ queue: StandingQueue, _ ledger: MemoryIntakeLedger, logger: Logger = .quiet,
        configure: (inout IntakeReconciler.Configuration) -> Void = { _ in },
        sleep: @escaping @Sendable (Duration) async -> Void = { _ in }
    ) -> IntakeReconciler {
        var configuration = IntakeReconciler.Configuration()
        configure(&configuration)
        return IntakeReconciler(
            queue: queue, ledger: ledger, store: MemoryCaptureStore(time: ManualTime().source),
            configuration: configuration, random: { 7 },
            outages: Outages(logger: .quiet), logger: logger,
            sleep: sleep)
    }

    @Test(arguments: [Result<Restoration, QueueError>.success(.unmarked), .failure(QueueError(.unavailable, "away"))])
    func `the reconciler pauses after a look that came to nothing, however many uploads wake it`(
        restoration: Result<Restoration, QueueError>
    ) async throws {
        let queue = StandingQueue(restoration)
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let gate = Gate()
        let reconciler = Self.reconciler(queue, ledger, sleep: { _ in await gate.pass() })
        // Another gateway has the ledger to itself all the while.
        _ = try await ledger.exclusively {
            let running = Task { try await reconciler.run() }
            for _ in 0..<3 { reconciler.wake() }
            await gate.untilReached()
            for _ in 0..<3 { reconciler.wake() }
            #expect(queue.count == 1)
            gate.open()
            running.cancel()
            _ = await running.result
        }
    }

    /// An outage that is logged then is never over.
    @Test func `the reconciler says nothing of a server whose call its own stop has broken off`() async throws {
        let (asked, log) = (Latch(), LogRecorder())
        let reconciler = IntakeReconciler(
            queue: BrokenOffQueue(asked: asked), ledger: MemoryIntakeLedger(time: ManualTime().source),
            store: MemoryCaptureStore(time: ManualTime().source), random: { 7 },
            outages: Outages(logger: log.logger), logger: log.logger)
        let running = Task { try await reconciler.run() }
        try await asked.pass()
        running.cancel()
        _ = await running.result
        #expect(log.lines == [])
    }

    @Test func `the reconciler says once that it does not get through, and once that it does again`() async throws {
        let (queue, recorder) = (StandingQueue(.success(.restored(StandingQueue.mark))), LogRecorder())
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        await ledger.fail(with: StoreError(.conflict, "canceling statement due to lock timeout"))
        let reconciler = Self.reconciler(queue, ledger, logger: recorder.logger) { $0.interval = .milliseconds(1) }
        let running = Task { try await reconciler.run() }
        try await eventually { queue.count > 3 }
        await ledger.fail(with: nil)
        try await eventually { recorder.lines.count == 2 }
        running.cancel()
        _ = await running.result
        #expect(
            recorder.lines == [
                "warning the reconciler does not get through", "notice the reconciler gets through again",
            ])
        #expect(recorder.values(of: "fault").first?.contains("lock timeout") == true)
    }

    @Test func `the reconciler looks through all dead letters again where data were lost`() {
        var configuration = IntakeReconciler.Configuration()
        configuration.grace = .zero
        var round = ReconcilerRound(configuration)
        var maker = SubmissionMaker(seed: 2)
        let device = maker.device()
        let last = DeadLetter.Position(diedAt: ManualTime().source(), capture: maker.submission(of: device).id)
        let now = ContinuousClock.now
        let first = round.plan(broken: [], at: now)
        round.done(first, IntakeWalk.Progress(lastPlace: 5, lastDeaths: [0: last]), at: now)
        let second = round.plan(broken: [], at: now)
        #expect(second == .sweep(after: 5, deaths: [0: last]))
        let restoration = round.plan(broken: [0], at: now)
        round.done(restoration, IntakeWalk.Progress(), at: now)
        let third = round.plan(broken: [], at: now)
        #expect(third == .sweep(after: 5, deaths: [:]))
    }

    /// A capture may get its result after its death was noted.
    @Test func `the reconciler looks through all dead letters again together with all rows`() {
        var configuration = IntakeReconciler.Configuration()
        configuration.grace = .zero
        var round = ReconcilerRound(configuration)
        var maker = SubmissionMaker(seed: 3)
        let device = maker.device()
        let last = DeadLetter.Position(diedAt: ManualTime().source(), capture: maker.submission(of: device).id)
        let now = ContinuousClock.now
        let first = round.plan(broken: [], at: now)
        round.done(first, IntakeWalk.Progress(lastPlace: 5, lastDeaths: [0: last]), at: now)
        let full = round.plan(broken: [], at: now + configuration.sweepInterval)
        #expect(full == .sweep(after: 0, deaths: [:]))
    }

    @Test func `the reconciler sweeps the other partitions between two tries to restore one that refuses`() {
        var configuration = IntakeReconciler.Configuration()
        configuration.grace = .zero
        var round = ReconcilerRound(configuration)
        let refusal = IntakeWalk.Progress(refused: [1: QueueError(.refused, "NOPERM")])
        let now = ContinuousClock.now
        var plans: [ReconcilerRound.Plan] = []
        for _ in 0..<4 {
            let plan = round.plan(broken: [1], at: now)
            round.done(plan, plan == .restore([1]) ? refusal : IntakeWalk.Progress(), at: now)
            plans.append(plan)
        }
        let sweep = ReconcilerRound.Plan.sweep(after: 0, deaths: [:])
        #expect(plans == [.restore([1]), sweep, .restore([1]), sweep])
        #expect(round.refused.keys.elementsEqual([1]) && !round.wasWhole)
        // What breaks besides is restored at once.
        let next = round.plan(broken: [0, 1], at: now)
        #expect(next == .restore([0, 1]))
    }

    @Test func `the reconciler looks through all rows again once a partition answers that a sweep passed by`() {
        var configuration = IntakeReconciler.Configuration()
        configuration.grace = .zero
        var round = ReconcilerRound(configuration)
        let refused = [1: QueueError(.refused, "NOPERM")]
        let now = ContinuousClock.now
        var plans: [ReconcilerRound.Plan] = []
        for refusing in [refused, refused, [:], [:]] {
            let plan = round.plan(broken: [], refusing: refusing, at: now)
            round.done(plan, IntakeWalk.Progress(lastPlace: 5, refused: refusing), at: now)
            plans.append(plan)
        }
        let places: [Int64] = [0, 5, 0, 5]
        #expect(plans == places.map { ReconcilerRound.Plan.sweep(after: $0, deaths: [:]) })
        #expect(round.refused.isEmpty)
    }

    @Test func `the reconciler leaves a sweep to another gateway for as long as a row may wait, and no longer`() {
        let configuration = IntakeReconciler.Configuration()
        var round = ReconcilerRound(configuration)
        let now = ContinuousClock.now
        let late = now + configuration.grace
        let sweep = round.plan(broken: [], at: now)
        var isOverdue = [now, late - .milliseconds(1), late].map { round.isOverdue(sweep, at: $0) }
        #expect(isOverdue == [false, false, true])
        round.done(sweep, IntakeWalk.Progress(), at: late)
        isOverdue = [late, late + configuration.grace].map { round.isOverdue(sweep, at: $0) }
        #expect(isOverdue == [false, true], "the next one is left to it for as long")
        // A restoration in between is left to it for its own time, and the sweep anew.
        let restoration = round.plan(broken: [0], at: late)
        isOverdue = [late, late + configuration.othersMax].map { round.isOverdue(restoration, at: $0) }
        #expect(isOverdue == [false, true])
        let wasOverdue = round.isOverdue(sweep, at: late)
        #expect(!wasOverdue)
    }

    /// `bundles.orphanAge` is more than that, with `intake.wait`.
    @Test
    func `the reconciler looks for a row within nine quarters of the grace and two looks, though another stands still`()
    {
        let configuration = IntakeReconciler.Configuration()
        let (grace, interval) = (configuration.grace, configuration.interval)
        var round = ReconcilerRound(configuration)
        let start = ContinuousClock.now
        var sweeps: [Duration] = []
        for number in 0..<400 {
            let time = interval * number
            let plan = round.plan(broken: [], at: start + time)
            guard plan != .nothing, round.isOverdue(plan, at: start + time) else { continue }
            round.done(plan, IntakeWalk.Progress(), at: start + time)
            sweeps.append(time)
        }
        let longest = zip(sweeps.dropFirst(), sweeps).map { $0 - $1 }.max() ?? .zero
        // A sweep passes a row by that is a moment younger than the grace, and the next one meets it.
        let age = grace + longest
        let (ageMax, ageWithoutOther): (Duration, Duration) = (grace * 9 / 4, grace * 5 / 4)
        #expect(age <= ageMax + interval + interval)
        #expect(age > ageWithoutOther + interval + interval)
    }

    @Test func `the reconciler sweeps and purges although a gateway that has stopped holds the lock`() async throws {
        let recorder = LogRecorder()
        let time = ManualTime()
        let ledger = MemoryIntakeLedger(time: time.source)
        var maker = SubmissionMaker(seed: 5)
        let upload = maker.submission(of: maker.device())
        _ = try await ledger.record([upload])
        await ledger.close([upload.id])
        time.advance(by: .seconds(1))
        let queue = StandingQueue(.success(.restored(StandingQueue.mark)))
        let reconciler = Self.reconciler(queue, ledger, logger: recorder.logger) { $0.retention = .zero }
        var configuration = IntakeReconciler.Configuration()
        (configuration.grace, configuration.othersMax) = (.zero, .zero)
        let impatient = configuration
        _ = try await ledger.exclusively {
            var round = ReconcilerRound(impatient)
            do {
                let isDone = try await reconciler.turn(&round)
                #expect(isDone)
            } catch {
                Issue.record(error)
            }
        }
        #expect(recorder.lines == ["notice the sweep is not left to another gateway any longer"])
        #expect(try await ledger.accepted([upload.id]).isEmpty)
    }

    @Test func `the reconciler warns of captures that were lost while it was running, and of none at its start`()
        async throws
    {
        let (queue, recorder) = (StandingQueue(.success(.unmarked)), LogRecorder())
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        var maker = SubmissionMaker(seed: 6)
        _ = try await ledger.record([maker.submission(of: maker.device())])
        let reconciler = Self.reconciler(queue, ledger, logger: recorder.logger)
        var round = ReconcilerRound(IntakeReconciler.Configuration())
        try await reconciler.turn(&round)
        // A restart that loses nothing takes the mark away, too.
        for outcome in [nil, .restored] as [RestoreOutcome?] {
            queue.restoration.withLock { $0 = .success(.restored(StandingQueue.mark)) }
            try await reconciler.turn(&round)
            queue.restoration.withLock { $0 = .success(.unmarked) }
            queue.outcome.withLock { $0 = outcome }
            try await reconciler.turn(&round)
        }
        #expect(
            recorder.lines == [
                "notice the queue holds everything that was accepted",
                "notice Redis or its functions were started anew: no capture was missing",
                "warning Redis had lost its data: what was accepted is in the queue again",
            ])
    }

    @Test func `the reconciler says and counts that a capture cannot be put back, and does not call the queue whole`()
        async throws
    {
        let (queue, recorder) = (StandingQueue(.success(.unmarked), outcome: .invalid("no")), LogRecorder())
        let time = ManualTime()
        let ledger = MemoryIntakeLedger(time: time.source)
        var maker = SubmissionMaker(seed: 3)
        let device = maker.device()
        _ = try await ledger.record([maker.submission(of: device)])
        time.advance(by: .seconds(60))
        let reconciler = Self.reconciler(queue, ledger, logger: recorder.logger)
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            var round = ReconcilerRound(IntakeReconciler.Configuration())
            try await reconciler.turn(&round)
            queue.restoration.withLock { $0 = .success(.restored(StandingQueue.mark)) }
            try await reconciler.turn(&round)
        }
        let single = "error an accepted capture cannot be put back"
        #expect(
            recorder.lines == [single, "error not everything that was accepted is in the queue again", single])
        #expect(recorder.values(of: "invalid") == ["1"])
        #expect(try StrictExposition(registry.render()).value("capture_intake_invalid_total") == "2")
    }

    @Test func `the reconciler deletes as many closed rows as there are`() async throws {
        let time = ManualTime()
        let ledger = MemoryIntakeLedger(time: time.source)
        var maker = SubmissionMaker(seed: 1)
        let device = maker.device()
        let uploads = (0..<25).map { _ in maker.submission(of: device) }
        _ = try await ledger.record(uploads)
        await ledger.close(uploads[1...].map(\.id))
        time.advance(by: .seconds(1))
        let reconciler = Self.reconciler(StandingQueue(.success(.restored(StandingQueue.mark))), ledger) {
            ($0.purgeMax, $0.retention) = (5, .zero)
        }
        var round = ReconcilerRound(IntakeReconciler.Configuration())
        try await reconciler.turn(&round)
        #expect(Set(try await ledger.accepted(uploads.map(\.id)).keys) == [uploads[0].id])
    }
}
