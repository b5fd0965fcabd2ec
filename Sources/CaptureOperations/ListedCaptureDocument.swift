import CaptureModel
import CaptureStore

/// A line of a list of captures as JSON, over HTTP and by `capturectl`.
package struct ListedCaptureDocument: Encodable, Sendable {
    private let capture: ListedCapture

    /// Takes a line of a list.
    package init(_ capture: ListedCapture) {
        self.capture = capture
    }

    private enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case state = "status"
        case device = "device_id"
        case reason, explanation, fault, confidence, counter, attempts, redriven
        case receivedAt = "received_at"
        case verifiedAt = "verified_at"
        case compromisedSince = "compromised_since"
    }

    /// Writes every member; an absent value is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(capture.id, forKey: .captureID)
        try container.encode(capture.device, forKey: .device)
        try container.encode(capture.state, forKey: .state)
        try container.encode(capture.reason, forKey: .reason)
        try container.encode(capture.reason?.explanation(redriven: capture.isRedriven), forKey: .explanation)
        try container.encode(capture.fault, forKey: .fault)
        try container.encode(capture.result?.confidence, forKey: .confidence)
        try container.encode(capture.result?.counter, forKey: .counter)
        try container.encode(capture.attempts, forKey: .attempts)
        try container.encode(capture.isRedriven, forKey: .redriven)
        try container.encode(capture.receivedAt, forKey: .receivedAt)
        try container.encode(capture.result?.verifiedAt, forKey: .verifiedAt)
        try container.encode(capture.result?.compromisedSince, forKey: .compromisedSince)
    }
}
