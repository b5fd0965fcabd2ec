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

    @Test func `a settlement whose answer was lost was not done where nothing is known of the head of its lane`() {
        #expect(!putOff(nil, "away").isDone(head: nil) { _ in nil })
    }
}
