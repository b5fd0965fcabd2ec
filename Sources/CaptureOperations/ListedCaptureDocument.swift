import CaptureModel
import CaptureStore

/// A line of a list of captures as JSON, over HTTP and by `capturectl`.
package struct ListedCaptureDocument: Encodable, Sendable {
    private let capture: ListedCapture

    /// Takes a line of a list.
    package init(_ capture: ListedCapture) {
        self.capture = capture
    }

    /// Writes every member; an absent value is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(capture.id, forKey: "capture_id")
        try container.encode(capture.device, forKey: "device_id")
        try container.encode(capture.state, forKey: "status")
        try container.encode(capture.reason, forKey: "reason")
        try container.encode(capture.reason?.explanation(redriven: capture.isRedriven), forKey: "explanation")
        try container.encode(capture.fault, forKey: "fault")
        try container.encode(capture.result?.confidence, forKey: "confidence")
        try container.encode(capture.result?.counter, forKey: "counter")
        try container.encode(capture.attempts, forKey: "attempts")
        try container.encode(capture.isRedriven, forKey: "redriven")
        try container.encode(capture.receivedAt, forKey: "received_at")
        try container.encode(capture.result?.verifiedAt, forKey: "verified_at")
        try container.encode(capture.result?.compromisedSince, forKey: "compromised_since")
    }
}
