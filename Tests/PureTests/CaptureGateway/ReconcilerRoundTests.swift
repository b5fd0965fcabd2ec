import CaptureModel
import CaptureQueue
import TestSupport
import Testing

@testable import CaptureGateway

@Suite struct `The reconciler's rounds` {
    @Test func `the reconciler looks through all dead letters again where data were lost`() {
        var configuration = IntakeReconciler.Configuration()
        configuration.grace = .zero
        var round = ReconcilerRound(configuration)
        var maker = SubmissionMaker(seed: 2)
        let device = maker.device()
        let last = DeadLetter.Position(diedAt: ManualTime().source(), capture: maker.submission(of: device).id)
        let now = ContinuousClock.now
        let first = round.plan(broken: [], at: now)
        round.done(first, IntakeWalk.Progress(lastPlace: 5, lastDeadLetters: [0: last]), at: now)
        let second = round.plan(broken: [], at: now)
        #expect(second == .sweep(after: 5, deadLetters: [0: last]))
        let restoration = round.plan(broken: [0], at: now)
        round.done(restoration, IntakeWalk.Progress(), at: now)
        let third = round.plan(broken: [], at: now)
        #expect(third == .sweep(after: 5, deadLetters: [:]))
    }

    /// A capture may get its result after it was noted as a dead letter.
    @Test func `the reconciler looks through all dead letters again together with all rows`() {
        var configuration = IntakeReconciler.Configuration()
        configuration.grace = .zero
        var round = ReconcilerRound(configuration)
        var maker = SubmissionMaker(seed: 3)
        let device = maker.device()
        let last = DeadLetter.Position(diedAt: ManualTime().source(), capture: maker.submission(of: device).id)
        let now = ContinuousClock.now
        let first = round.plan(broken: [], at: now)
        round.done(first, IntakeWalk.Progress(lastPlace: 5, lastDeadLetters: [0: last]), at: now)
        let full = round.plan(broken: [], at: now + configuration.sweepInterval)
        #expect(full == .sweep(after: 0, deadLetters: [:]))
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
        let sweep = ReconcilerRound.Plan.sweep(after: 0, deadLetters: [:])
        #expect(plans == [.restore([1]), sweep, .restore([1]), sweep])
        #expect(round.refused.keys.elementsEqual([1]) && !round.wasWhole)
        // A partition that breaks besides is restored at once.
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
        #expect(plans == places.map { ReconcilerRound.Plan.sweep(after: $0, deadLetters: [:]) })
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
}
