import CaptureModel
import CaptureQueue
import Foundation
import Testing

@testable import CaptureProcessing

@Suite("A settlement whose answer was lost")
struct LostSettlementTests {
    private let device = DeviceID(UUID())

    private func putOff(_ reason: Reason?, _ fault: String) -> LaneSettlement {
        LaneSettlement(
            token: LaneToken(text: "1-0", partition: 0), device: device, items: [],
            continuation: .delayed(.seconds(1), reason: reason, fault: fault))
    }

    private func head(_ state: CaptureState, _ reason: Reason?, _ fault: String?) -> JobStatus {
        JobStatus(
            id: CaptureID(UUID()), device: device, state: state, attempts: 1, reason: reason, fault: fault,
            receivedAt: Timestamp(millisecondsSince1970: 0), claimedAt: nil, settledAt: nil, nextAttemptAt: nil)
    }

    @Test(
        arguments: [
            (.retrying, .bundleCorrupt, "changed: 2", true), (.retrying, .internal, "changed: 2", false),
            (.retrying, nil, "changed: 2", false), (.retrying, .bundleCorrupt, "changed: 3", false),
            // Somebody has claimed it since, and given it back.
            (.processing, nil, "changed: 2", true), (.queued, nil, "changed: 2", true),
            (.processing, nil, nil, false),
        ] as [(CaptureState, Reason?, String?, Bool)])
    func `a settlement whose answer was lost was done where the head of its lane has its reason and its fault`(
        state: CaptureState, reason: Reason?, fault: String?, isDone: Bool
    ) {
        let settlement = putOff(.bundleCorrupt, "changed: 2")
        #expect(settlement.isDone(head: head(state, reason, fault)) { _ in nil } == isDone)
    }

    private func leaving(_ items: [(CaptureID, LaneSettlement.Disposition)]) -> LaneSettlement {
        LaneSettlement(
            token: LaneToken(text: "1-0", partition: 0), device: device,
            items: items.map { .init(id: $0.0, disposition: $0.1) }, continuation: .ready)
    }

    @Test(
        arguments: [
            (.settled(.verified), .verified, nil, nil, true), (.settled(.verified), .rejected, nil, nil, false),
            (.settled(.verified), .queued, nil, nil, false), (.settled(.verified), .failed, nil, nil, false),
            (.settled(.rejected(.counterStale)), .rejected, .counterStale, nil, true),
            (.settled(.rejected(.counterStale)), .rejected, .counterReplay, nil, false),
            (.dead(.bundleMissing, fault: "gone"), .failed, .bundleMissing, "gone", true),
            (.dead(.bundleMissing, fault: "gone"), .failed, .bundleMissing, "gone again", false),
            (.dead(.bundleMissing, fault: "gone"), .failed, .internal, "gone", false),
            // Somebody has put it back since, or nobody has given it up.
            (.dead(.bundleMissing, fault: "gone"), .queued, nil, nil, false),
        ] as [(LaneSettlement.Disposition, CaptureState, Reason?, String?, Bool)])
    func `a settlement whose answer was lost was done where its captures stand as they were to leave their lane`(
        disposition: LaneSettlement.Disposition, state: CaptureState, reason: Reason?, fault: String?, isDone: Bool
    ) {
        let settlement = leaving([(CaptureID(UUID()), disposition)])
        #expect(settlement.isDone(head: nil) { _ in head(state, reason, fault) } == isDone)
    }

    @Test func `a settlement whose answer was lost was not done where one of its captures is unknown`() {
        let (first, second) = (CaptureID(UUID()), CaptureID(UUID()))
        let settlement = leaving([(first, .settled(.verified)), (second, .settled(.verified))])
        for known in [first, second] {
            #expect(!settlement.isDone(head: nil) { $0 == known ? head(.verified, nil, nil) : nil })
        }
        #expect(settlement.isDone(head: nil) { _ in head(.verified, nil, nil) })
    }

    @Test func `a settlement whose answer was lost was not done where nothing is known of the head of its lane`() {
        #expect(!putOff(nil, "away").isDone(head: nil) { _ in nil })
    }
}
