import ArgumentParser
import CaptureModel
import GatewayClient

/// The outcome of a submitted capture.
struct SubmitAnswer: Encodable, Sendable {
    /// Why the wait for the verdict of an accepted capture failed.
    private let waitFault: GatewayError?
    /// Where the capture stands.
    let state: CaptureState

    private let id: CaptureID
    private let isDuplicate: Bool
    @OrNull private var reason: String?
    @OrNull private var fault: String?
    @OrNull private var confidence: Confidence?

    init(_ receipt: UploadReceipt, waitFault: GatewayError? = nil) {
        (id, state, reason, fault, confidence) = (receipt.captureID, receipt.state, nil, nil, nil)
        isDuplicate = receipt.isDuplicate
        self.waitFault = waitFault
    }

    init(_ status: CaptureStatus, isDuplicate: Bool) {
        (id, state, reason) = (status.captureID, status.state, status.reason)
        self.isDuplicate = isDuplicate
        (fault, confidence) = (status.fault, status.confidence)
        waitFault = nil
    }

    private enum CodingKeys: String, CodingKey {
        case id = "capture_id"
        case state = "status"
        case isDuplicate = "duplicate"
        case reason, fault, confidence
    }

    /// The answer for people.
    func text(on terminal: Terminal) -> String {
        var facts = FactList(on: terminal)
        facts.add("capture", "\(id)")
        facts.add("sent before", isDuplicate ? "yes" : "no")
        facts.add("state", state.rawValue, state.tint)
        facts.add("reason", reason.map { code in Reason(rawValue: code).map { "\(code): \($0.explanation)" } ?? code })
        facts.add("fault", fault)
        facts.add("confidence", confidence.flatMap { $0 > .none ? $0.rawValue : nil })
        return facts.text
    }

    /// What is said of the wait that failed: a bundle that was sent before may have its verdict all the same.
    var waitWords: String? {
        guard let waitFault else { return nil }
        let known =
            state.isWaiting
            ? "accepted, but its verdict is not known" : "its verdict is \(state.rawValue), but nothing more is known"
        return ShownText.line("\(known): \(waitFault)")
    }

    /// The exit code; `nil` for success.
    func end(waited: Bool) -> ExitCode? {
        switch state {
        case .verified: nil
        case .rejected, .failed: CommandEnd.problems
        // Also if the token is refused: the capture itself is not.
        case .queued, .processing, .retrying: waited ? CommandEnd.unavailable : nil
        }
    }
}
