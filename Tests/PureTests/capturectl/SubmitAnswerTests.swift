import ArgumentParser
import CaptureModel
import Foundation
import Testing

@testable import GatewayClient
@testable import capturectl

@Suite("What submit answers")
struct SubmitAnswerTests {
    @Test(arguments: [CaptureState.verified, .rejected, .queued])
    func `a verdict that the receipt has is known, whatever comes of the waiting`(state: CaptureState) {
        let receipt = UploadReceipt(captureID: CaptureID(UUID()), state: state, isDuplicate: true)
        let answer = SubmitAnswer(receipt, waitFault: .unreachable("nobody there"))
        let expected: [CaptureState: ExitCode] = [.rejected: CommandEnd.problems, .queued: CommandEnd.unavailable]
        #expect(answer.end(waited: true) == expected[state])
    }

    /// Its reason and its confidence are null then.
    @Test(arguments: [
        (CaptureState.queued, "accepted, but its verdict is not known: "),
        (.rejected, "its verdict is rejected, but nothing more is known: "),
        (.verified, "its verdict is verified, but nothing more is known: "),
    ])
    func `why the wait failed is told whatever the receipt has`(state: CaptureState, words: String) {
        let fault = GatewayError.unreachable("nobody there")
        let receipt = UploadReceipt(captureID: CaptureID(UUID()), state: state, isDuplicate: true)
        #expect(SubmitAnswer(receipt, waitFault: fault).waitWords == "\(words)\(fault)")
        #expect(SubmitAnswer(receipt).waitWords == nil)
    }

    @Test(arguments: [true, false]) func `whether the bundle was sent before is told`(isDuplicate: Bool) throws {
        let receipt = UploadReceipt(captureID: CaptureID(UUID()), state: .queued, isDuplicate: isDuplicate)
        let status = try #require(
            CaptureStatus(.object(["capture_id": .string("\(receipt.captureID)"), "status": .string("queued")])))
        for answer in [SubmitAnswer(receipt), SubmitAnswer(status, isDuplicate: isDuplicate)] {
            #expect(try JSONText.write(answer).contains("\"duplicate\":\(isDuplicate)"))
            let text = answer.text(on: Terminal(columns: nil, isTinted: false))
            #expect(text.contains("sent before  \(isDuplicate ? "yes" : "no")\n"), "\(text)")
        }
    }
}
