@testable import CaptureProcessing
import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import Synchronization
import TestSupport
import Testing

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

    @Test func `a malformed job is buried and not put off for ever, whatever else has failed`() {
        var generator = SeededGenerator(seed: 13)
        let malformed = ClaimedJob.malformed(Work.job(bytes: 1, generator: &generator).id, fault: "no device")
        let lease = Work.lease(1, [malformed], generator: &generator)
        let conclusion = LaneConclusion(
            portion: LanePortion(lease: lease, jobs: [malformed]), conclusions: [])
        let settlement = conclusion.putOff(for: Patience.Fault("store malformedRow"), retries: .seconds(upTo: 12))
        #expect(settlement.items.map(\.disposition) == [.dead(.internal, fault: "no device")])
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
        #expect(Set(decided.refused.keys) == culprits)
        #expect(decided.refused.values.allSatisfy { $0.contains("23514") })
        #expect(Set(decided.settled.keys) == Set(batch.map(\.job.id)).subtracting(culprits))
        #expect(decided.extent != .partial)
        let taken = store.asked.withLock { $0 }.filter { culprits.isDisjoint(with: $0) }.flatMap { $0 }
        #expect(taken == batch.map(\.job.id).filter { !culprits.contains($0) }, "in the order of the batch")
        #expect(store.asked.withLock { $0.count } <= 2 * batch.count)
    }

    @Test func `a refusal that meets everybody is an outage and no capture's fault`() async {
        let store = PickyStore { _ in StoreError(.refused, "no", scope: .everybody) }
        let decided = await decided(store, Work.captures(4, seed: 1), Self.hasty)
        #expect(decided.settled.isEmpty && decided.refused.isEmpty)
        #expect(decided.extent == .partial)
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
        #expect(decided.refused.isEmpty && Set(decided.settled.keys) == [jobs[1].id, jobs[3].id])
        let lane = [jobs[0], jobs[2]]
        let conclusion = LaneConclusion(
            portion: LanePortion(lease: Work.lease(1, lane, generator: &generator), jobs: lane[...]),
            conclusions: lane.compactMap(Work.capture).map { .examined($0) })
        let settlement = conclusion.settlement(recall: Recall(), decided: decided, retries: .seconds(upTo: 3))
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
        #expect(decided.refused.isEmpty)
        #expect(Set(decided.settled.keys) == Set(jobs.map(\.id)).subtracting([culprit]))
        let conclusion = LaneConclusion(
            portion: LanePortion(lease: Work.lease(1, jobs, generator: &generator), jobs: jobs[...]),
            conclusions: batch.map { .examined($0) })
        let settlement = conclusion.settlement(recall: Recall(), decided: decided, retries: .seconds(upTo: 3))
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
        #expect(Set(decided.settled.keys) == [batch[1].job.id])
        #expect(Set(decided.refused.keys) == [culprit])
        #expect(decided.extent == .partial)
    }
}
