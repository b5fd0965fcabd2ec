import CaptureModel
package import CaptureStore

/// A verified result of a compromised key, as JSON.
package struct AffectedResultDocument: Encodable, Sendable {
    private let result: AffectedResult

    /// Takes a result.
    package init(_ result: AffectedResult) {
        self.result = result
    }

    /// Writes it.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(result.capture, forKey: "capture_id")
        try container.encode(result.counter, forKey: "counter")
        try container.encode(result.receivedAt, forKey: "received_at")
    }
}
