@testable import CaptureProcessing
import CaptureModel
import CaptureQueue
import CaptureStore
import TestSupport
import Testing

@Suite("A result with a verdict that its reason does not fit", .timeLimit(.minutes(1)))
struct MisfitResultTests {
    /// A record that has lost the reason of one result.
    private struct WithoutReason: ForwardingStore {
        let memory = MemoryCaptureStore(time: ManualTime().source)
        let damaged: CaptureID

        func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
            var results = try await memory.results(of: captures)
            results[damaged]?.reason = nil
            return results
        }
    }

    @Test func `it does not tell what became of its capture, and the other results do`() async throws {
        let captures = Work.captures(3, seed: 31)
        let ids = captures.map(\.job.id)
        let store = WithoutReason(damaged: ids[1])
        _ = try await store.settle(captures, policy: .strict)
        let recall = await Recall.of(captures.map(\.job), from: store, Patience.toRecord(hold: .seconds(600)))
        #expect(Array(recall.faults.keys) == [ids[1]] && recall.extent == .whole)
        #expect(recall.faults[ids[1]]?.isConflict == false, "no lock is waited for")
        #expect(recall.results == [ids[0]: .rejected(.deviceUnknown), ids[2]: .rejected(.deviceUnknown)])
    }
}
