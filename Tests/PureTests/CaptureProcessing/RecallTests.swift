@testable import CaptureProcessing
import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
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

@Suite("What becomes of captures without bytes", .timeLimit(.minutes(1)))
struct RecallTests {
    /// Tries again for longer than any machine takes.
    private static let patience = Patience.toRecord(hold: .seconds(600))

    private func settlement(
        _ jobs: [ClaimedJob], _ recall: Recall, _ decided: BatchDecision = BatchDecision()
    ) -> LaneSettlement {
        var generator = SeededGenerator(seed: 1)
        let lease = Work.lease(1, jobs, generator: &generator)
        return LaneConclusion(
            portion: LanePortion(lease: lease, jobs: jobs[...]),
            conclusions: jobs.map { _ in .dead(.bundleMissing, "gone") }
        ).settlement(recall: recall, decided: decided, retries: .seconds(upTo: 3))
    }

    @Test func `a capture without bytes that has a result ends with it, one without becomes a dead letter`()
        async throws
    {
        var generator = SeededGenerator(seed: 11)
        let jobs = (0..<2).map { _ in Work.job(bytes: 1, generator: &generator) }
        let store = PickyStore { _ in nil }
        _ = try await store.settle(jobs[..<1].compactMap(Work.capture), policy: .strict)
        let recall = await Recall.of(
            jobs.compactMap { if case .valid(let job) = $0 { job } else { nil } }, from: store, Self.patience)
        let items = settlement(jobs, recall).items
        #expect(items.map(\.id) == jobs.map(\.id))
        guard case .settled(.rejected(.deviceUnknown)) = items[0].disposition else {
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
        let recall = await Recall.of(
            jobs.compactMap { if case .valid(let job) = $0 { job } else { nil } }, from: store, Self.patience)
        #expect(Array(recall.faults.keys) == [jobs[2].id] && recall.extent == .whole)
        for job in jobs {
            let one = settlement([job], recall)
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
        let first = settlement([jobs[0]], Recall(), BatchDecision(deviceFaults: [device: damage]))
        #expect(first.items.map(\.disposition) == [.dead(.bundleMissing, fault: "gone")])
    }

    @Test func `while the record is away nobody tells whether a capture without bytes is lost`() async {
        var generator = SeededGenerator(seed: 12)
        let settlement = settlement(
            [Work.job(bytes: 1, generator: &generator)], Recall(extent: .away), BatchDecision(extent: .partial))
        #expect(settlement.items.isEmpty)
        #expect(settlement.continuation == .handedBack)
    }

    @Test func `a result that was found before the record went away ends its capture`() {
        var generator = SeededGenerator(seed: 15)
        let jobs = (0..<2).map { _ in Work.job(bytes: 1, generator: &generator) }
        let settlement = settlement(
            jobs, Recall(results: [jobs[0].id: .rejected(.deviceUnknown)], extent: .away),
            BatchDecision(extent: .partial))
        #expect(settlement.settledCaptures == [jobs[0].id])
        #expect(settlement.items.count == 1 && settlement.continuation == .handedBack)
    }

    /// It has no result, and one behind it may be decided already: handed back, it would come behind that one unmarked.
    @Test func `a capture without bytes dies if the record goes away after it was looked up`() {
        var generator = SeededGenerator(seed: 14)
        let settlement = settlement(
            [Work.job(bytes: 1, generator: &generator)], Recall(), BatchDecision(extent: .partial))
        #expect(settlement.items.map(\.disposition) == [.dead(.bundleMissing, fault: "gone")])
    }
}
