@testable import CaptureProcessing
import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import Synchronization
import TestSupport
import Testing

/// A record of which one result cannot be read.
private struct UnreadableResults: ForwardingStore {
    let memory: MemoryCaptureStore
    let damaged: CaptureID

    func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
        if captures.contains(damaged) { throw StoreError(.malformedRow, "an unknown binding", scope: .content) }
        return try await memory.results(of: captures)
    }
}

@Suite("What the record refuses", .timeLimit(.minutes(1)))
struct BatchDecisionTests {
    /// Tries again for longer than any machine takes.
    private static let patience = Patience.toRecord(hold: .seconds(600))
    /// Tries no call again.
    private static let hasty = Patience.toRecord(hold: .zero)

    private func decided(
        _ store: PickyStore, _ captures: [ExaminedCapture], _ patience: Patience = Self.patience
    ) async -> BatchDecision {
        await BatchDecision.of(store, on: captures, .strict, patience)
    }

    private func settlement(_ jobs: [ClaimedJob], _ decided: BatchDecision) -> LaneSettlement {
        var generator = SeededGenerator(seed: 1)
        let lease = Work.lease(1, jobs, generator: &generator)
        return LaneConclusion(
            portion: LanePortion(lease: lease, jobs: jobs[...]),
            conclusions: jobs.map { _ in .dead(.bundleMissing, "gone") },
            verifyTimes: jobs.map { _ in .zero }
        ).settlement(decided: decided, settleTime: .zero, attemptsMax: 3, retry: { .seconds($0) })
    }

    @Test func `a capture without bytes that has a result ends with it, one without becomes a dead letter`()
        async throws
    {
        var generator = SeededGenerator(seed: 11)
        let jobs = (0..<2).map { _ in Work.job(bytes: 1, generator: &generator) }
        let store = PickyStore { _ in nil }
        _ = try await store.settle(jobs[..<1].compactMap(Work.capture), policy: .strict)
        var decided = BatchDecision()
        await decided.recall(
            jobs.compactMap { if case .valid(let job) = $0 { job } else { nil } }, from: store, Self.patience)
        let items = settlement(jobs, decided).items
        #expect(items.map(\.id) == jobs.map(\.id))
        guard case .settled(.rejected(.deviceUnknown), _) = items[0].disposition else {
            Issue.record("\(items[0].disposition)")
            return
        }
        #expect(items[1].disposition == .dead(.bundleMissing, fault: "gone"))
    }

    /// A newer release may have written what this one cannot read.
    @Test func `a result that cannot be read is put off with its own lane, and keeps no other capture`()
        async throws
    {
        var generator = SeededGenerator(seed: 12)
        let jobs = (0..<5).map { _ in Work.job(bytes: 1, generator: &generator) }
        let store = UnreadableResults(memory: MemoryCaptureStore(time: ManualTime().source), damaged: jobs[2].id)
        var decided = BatchDecision()
        await decided.recall(
            jobs.compactMap { if case .valid(let job) = $0 { job } else { nil } }, from: store, Self.patience)
        #expect(!decided.isInterrupted && decided.faults.isEmpty)
        #expect(Array(decided.unrecalled.keys) == [jobs[2].id])
        for job in jobs {
            let one = settlement([job], decided)
            guard job.id == jobs[2].id else {
                #expect(one.items.map(\.disposition) == [.dead(.bundleMissing, fault: "gone")])
                continue
            }
            guard case .delayed = one.continuation else {
                Issue.record("\(one)")
                continue
            }
            #expect(one.items.isEmpty)
        }
    }

    @Test func `a capture without bytes dies at once, whatever is wrong with one behind it`() {
        var generator = SeededGenerator(seed: 13)
        let device = DeviceID.make(using: &generator)
        let jobs = (0..<2).map { _ in Work.job(of: device, bytes: 1, generator: &generator) }
        let damage = Patience.Fault("damage")
        let first = settlement([jobs[0]], BatchDecision(faults: [device: damage]))
        #expect(first.items.map(\.disposition) == [.dead(.bundleMissing, fault: "gone")])
    }

    @Test func `a malformed job is buried and not put off for ever, whatever else has failed`() {
        var generator = SeededGenerator(seed: 13)
        let malformed = ClaimedJob.malformed(Work.job(bytes: 1, generator: &generator).id, fault: "no device")
        let lease = Work.lease(1, [malformed], generator: &generator)
        let conclusion = LaneConclusion(
            portion: LanePortion(lease: lease, jobs: [malformed]), conclusions: [], verifyTimes: [])
        let settlement = conclusion.putOff(
            for: Patience.Fault("store malformedRow"), attemptsMax: 12, retry: { .seconds($0) })
        #expect(settlement.items.map(\.disposition) == [.dead(.internal, fault: "no device")])
    }

    @Test func `while the record is away nobody tells whether a capture without bytes is lost`() async {
        var generator = SeededGenerator(seed: 12)
        let away = BatchDecision(extent: .notRecalled)
        let settlement = settlement([Work.job(bytes: 1, generator: &generator)], away)
        #expect(settlement.items.isEmpty)
        #expect(settlement.continuation == .handedBack)
    }

    /// It has no result, and one behind it may be decided already: handed back, it would come behind that one unmarked.
    @Test func `a capture without bytes dies if the record goes away after it was looked up`() {
        var generator = SeededGenerator(seed: 14)
        let settlement = settlement(
            [Work.job(bytes: 1, generator: &generator)], BatchDecision(extent: .partial))
        #expect(settlement.items.map(\.disposition) == [.dead(.bundleMissing, fault: "gone")])
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `captures that the record cannot take are found, and the others are decided in their order`(
        seed: UInt64
    ) async {
        var generator = SeededGenerator(seed: seed)
        let batch = Work.captures(Int.random(in: 1...40, using: &generator), seed: seed + 100)
        let culprits = Set(
            batch.filter { _ in Int.random(in: 0..<8, using: &generator) == 0 }.map(\.job.id))
        let store = PickyStore { ids in
            culprits.isDisjoint(with: ids) ? nil : StoreError(.refused, "constraint odd", serverCode: "23514")
        }
        let decided = await decided(store, batch)
        #expect(Set(decided.refusals.keys) == culprits)
        #expect(decided.refusals.values.allSatisfy { $0.contains("23514") })
        #expect(Set(decided.decisions.keys) == Set(batch.map(\.job.id)).subtracting(culprits))
        #expect(!decided.isInterrupted)
        let taken = store.asked.withLock { $0 }.filter { culprits.isDisjoint(with: $0) }.flatMap { $0 }
        #expect(taken == batch.map(\.job.id).filter { !culprits.contains($0) }, "in the order of the batch")
        #expect(store.asked.withLock { $0.count } <= 2 * batch.count)
    }

    @Test func `a refusal that meets everybody is an outage and no capture's fault`() async {
        let store = PickyStore { _ in StoreError(.refused, "no", scope: .everybody) }
        let decided = await decided(store, Work.captures(4, seed: 1), Self.hasty)
        #expect(decided.decisions.isEmpty && decided.refusals.isEmpty)
        #expect(decided.isInterrupted)
        #expect(store.asked.withLock { $0.allSatisfy { $0.count == 4 } }, "nothing is divided")
    }

    /// As a damaged page of an index is: somebody may mend it, and nothing that waits for that is given up.
    @Test func `damage puts the lanes off that it meets, and no later capture overtakes`() async {
        var generator = SeededGenerator(seed: 5)
        let (met, spared) = (DeviceID.make(using: &generator), DeviceID.make(using: &generator))
        let jobs = [met, spared, met, spared].map { Work.job(of: $0, bytes: 1, generator: &generator) }
        let store = PickyStore { ids in
            ids.contains(jobs[0].id) ? StoreError(.refused, "could not read block", scope: .damage) : nil
        }
        let decided = await decided(store, jobs.compactMap(Work.capture))
        #expect(decided.refusals.isEmpty && Set(decided.decisions.keys) == [jobs[1].id, jobs[3].id])
        let lane = [jobs[0], jobs[2]]
        let conclusion = LaneConclusion(
            portion: LanePortion(lease: Work.lease(1, lane, generator: &generator), jobs: lane[...]),
            conclusions: lane.compactMap(Work.capture).map { .examined($0) }, verifyTimes: lane.map { _ in .zero })
        let settlement = conclusion.settlement(
            decided: decided, settleTime: .zero, attemptsMax: 3, retry: { .seconds($0) })
        guard case .delayed(_, nil, let fault, _) = settlement.continuation else {
            Issue.record("\(settlement.continuation)")
            return
        }
        #expect(settlement.items.isEmpty && fault.contains("could not read block"))
    }

    /// As when a newer release has decided in words that this one does not know.
    @Test func `an answer that cannot be read puts its own lane off, and is no refusal`() async {
        var generator = SeededGenerator(seed: 4)
        let jobs = (0..<4).map { _ in Work.job(bytes: 1, generator: &generator) }
        let batch = jobs.compactMap(Work.capture)
        let culprit = jobs[2].id
        let store = PickyStore { ids in
            ids.contains(culprit) ? StoreError(.malformedRow, "column verdict holds an unknown value") : nil
        }
        let decided = await decided(store, batch)
        #expect(decided.refusals.isEmpty)
        #expect(Set(decided.decisions.keys) == Set(jobs.map(\.id)).subtracting([culprit]))
        let conclusion = LaneConclusion(
            portion: LanePortion(lease: Work.lease(1, jobs, generator: &generator), jobs: jobs[...]),
            conclusions: batch.map { .examined($0) }, verifyTimes: jobs.map { _ in .zero })
        let settlement = conclusion.settlement(
            decided: decided, settleTime: .zero, attemptsMax: 3, retry: { .seconds($0) })
        #expect(settlement.items.map(\.id) == jobs[..<2].map(\.id))
        #expect(settlement.settledCaptures == jobs[..<2].map(\.id))
        let fault = "store malformedRow: column verdict holds an unknown value"
        #expect(settlement.continuation == .delayed(.seconds(1), fault: fault))
    }

    @Test func `what was decided before an outage stays decided`() async {
        let batch = Work.captures(4, seed: 3)
        let culprit = batch[0].job.id
        let last = batch[3].job.id
        let store = PickyStore { ids in
            if ids.contains(culprit) { return StoreError(.refused, "no") }
            return ids.contains(last) ? StoreError(.unavailable, "away") : nil
        }
        let decided = await decided(store, batch, Self.hasty)
        #expect(Set(decided.decisions.keys) == [batch[1].job.id])
        #expect(Set(decided.refusals.keys) == [culprit])
        #expect(decided.isInterrupted)
    }
}
