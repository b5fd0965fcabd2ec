import CaptureModel
import GatewayClient

/// The outcome of a simulated capture.
enum Outcome: Sendable, Equatable {
    /// A worker settled it, or the time ran out before.
    case answered(CaptureStatus)
    /// The gateway refused it.
    case refused(GatewayError.Refusal)
    /// The gateway knew the bundle, and answered with the earlier capture's id.
    case sameCapture(CaptureID)
    /// No verdict could be had.
    case failed(String)
    /// The run was stopped before there was a verdict.
    case stopped

    /// Whether the outcome is the expected one.
    func meets(_ expectation: Expectation) -> Bool {
        switch (expectation, self) {
        case (.verified(let limit), .answered(let status)):
            status.state == .verified && (status.confidence.map { $0 <= limit && $0 > .none } ?? false)
        case (.rejected(let reason), .answered(let status)):
            status.state == .rejected && status.reason == reason.rawValue
        case (.rejected(let reason), .refused(let refusal)): Self.isRefusal(refusal, for: reason)
        case (.sameCapture, .sameCapture), (.sameCaptureOrRejected, .sameCapture): true
        case (.sameCaptureOrRejected(let reason), _): meets(.rejected(reason))
        default: false
        }
    }

    /// Whether the gateway's refusal has a given reason.
    private static func isRefusal(_ refusal: GatewayError.Refusal, for reason: Reason) -> Bool {
        if let told = refusal.reason { return told == reason }
        return switch reason {
        case .rpIDMismatch, .signatureInvalid: refusal.code == "SIGNATURE_INVALID" || refusal.code == reason.rawValue
        default: refusal.code == reason.rawValue
        }
    }

    /// As the table's column `verdict` shows it.
    var verdict: String {
        switch self {
        case .answered(let status): status.state.rawValue
        case .refused(let refusal): "refused \(refusal.status)"
        case .sameCapture: "same capture"
        case .failed: "error"
        case .stopped: "stopped"
        }
    }

    /// As the table's column `reason` shows it.
    var reason: String? {
        switch self {
        case .answered(let status): status.state == .verified ? nil : status.reason
        case .refused(let refusal): refusal.reasonCode ?? refusal.code
        case .sameCapture, .stopped: nil
        case .failed(let message): message
        }
    }

    /// The status, when there is one.
    var status: CaptureStatus? { if case .answered(let status) = self { status } else { nil } }
}
