import CaptureModel
package import CaptureStore

/// A verified result of a compromised key, as JSON.
package struct AffectedResultDocument: Encodable, Sendable {
    private let captureID: CaptureID
    private let counter: UInt32
    private let receivedAt: Timestamp

    /// Takes what it says from a result.
    package init(_ result: AffectedResult) {
        captureID = result.capture
        counter = result.counter
        receivedAt = result.receivedAt
    }

    private enum CodingKeys: String, CodingKey {
        case counter
        case captureID = "capture_id"
        case receivedAt = "received_at"
    }
}
