import CaptureModel
import CaptureQueue
import TestSupport
import Testing

@testable import capturectl

@Suite("What is said before dead letters are acted on")
struct DeadSelectionTextTests {
    @Test(arguments: [(nil, "  1 × a fault"), (.internal, "  1 × INTERNAL a fault")] as [(Reason?, String)])
    func `a group is told by its reason, if it has one, and its fault`(reason: Reason?, line: String) {
        var maker = SubmissionMaker(seed: 9)
        let moment = Timestamp(millisecondsSince1970: 1_790_000_000_000)
        let device = maker.device()
        let status = JobStatus(
            id: maker.submission(of: device).id, device: device, state: .failed, attempts: 1, reason: reason,
            fault: "a fault", receivedAt: moment, claimedAt: moment, settledAt: moment, nextAttemptAt: nil)
        let letter = DeadLetter(
            status: status, diedAt: moment, deliveries: 1, photoBytes: 1, depthBytes: 1, bundleStore: .redis,
            bytes: .kept)
        let text = DeadSelection.preview([letter], fateOfGone: "", fateOfLost: "")
        #expect(text.split(separator: "\n").contains { $0 == line }, "\(text)")
    }
}
