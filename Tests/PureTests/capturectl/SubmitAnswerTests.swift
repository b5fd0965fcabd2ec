import CaptureModel
import Foundation
import Testing

@testable import GatewayClient
@testable import capturectl

@Suite("What submit answers")
struct SubmitAnswerTests {
    @Test(arguments: [CaptureState.verified, .rejected, .queued])
    func `a verdict that the receipt has is known, whatever comes of the waiting`(state: CaptureState) {
        let receipt = UploadReceipt(captureID: CaptureID(UUID()), state: state)
        let answer = SubmitAnswer(receipt, waitFault: .unreachable("nobody there"))
        #expect((answer.waitFault != nil) == state.isWaiting)
        #expect((answer.end(waited: true) == nil) == (state == .verified))
    }
}
