import ArgumentParser
import CaptureModel
import GatewayClient

/// The outcome of a submitted capture.
struct SubmitAnswer: Encodable, Sendable {
    /// Why the wait for the verdict of an accepted capture failed; reported on the error stream.
    let waitFault: GatewayError?
    /// Where the capture stands.
    let state: CaptureState

    private let id: CaptureID
    @OrNull private var reason: String?
    @OrNull private var fault: String?
    @OrNull private var confidence: Confidence?

    init(_ receipt: UploadReceipt, waitFault: GatewayError? = nil) {
        (id, state, reason, fault, confidence) = (receipt.captureID, receipt.state, nil, nil, nil)
        // A bundle that was sent before may already have its verdict.
        self.waitFault = receipt.state.isWaiting ? waitFault : nil
    }

    init(_ status: CaptureStatus) {
        (id, state, reason) = (status.captureID, status.state, status.reason)
        (fault, confidence) = (status.fault, status.confidence)
        waitFault = nil
    }

    private enum CodingKeys: String, CodingKey {
        case id = "capture_id"
        case state = "status"
        case reason, fault, confidence
    }

    /// The answer for people.
    func text(on terminal: Terminal) -> String {
        var facts = FactList(on: terminal)
        facts.add("capture", "\(id)")
        facts.add("state", state.rawValue, state.tint)
        facts.add("reason", reason.map { code in Reason(rawValue: code).map { "\(code): \($0.explanation)" } ?? code })
        facts.add("fault", fault)
        facts.add("confidence", confidence.flatMap { $0 > .none ? $0.rawValue : nil })
        return facts.text
    }

    /// The exit code; `nil` for success.
    func end(waited: Bool) -> ExitCode? {
        // Also if the token is refused: the capture itself is not.
        guard waitFault == nil else { return CommandEnd.unavailable }
        return switch state {
        case .verified: nil
        case .rejected, .failed: CommandEnd.problems
        case .queued, .processing, .retrying: waited ? CommandEnd.unavailable : nil
        }
    }
}
