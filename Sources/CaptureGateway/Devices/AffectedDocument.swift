import CaptureModel
import CaptureStore

/// The verified results of a compromised key, as JSON.
struct AffectedDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var captureID: String
        var counter: UInt32
        var receivedAt: String

        init(_ result: AffectedResult) {
            captureID = "\(result.capture)"
            counter = result.counter
            receivedAt = result.receivedAt.rfc3339
        }

        enum CodingKeys: String, CodingKey {
            case counter
            case captureID = "capture_id"
            case receivedAt = "received_at"
        }
    }

    var results: [Item]
}
