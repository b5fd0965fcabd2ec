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

    private let results: [Item]
    private let next: String?

    /// - Parameter found: One more than the page has, where others follow.
    init(_ found: [AffectedResult], limit: Int) {
        let page = found.prefix(limit)
        results = page.map { Item($0) }
        next = found.count > page.count ? page.last.map { "\($0.counter)" } : nil
    }

    enum CodingKeys: CodingKey {
        case results, next
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(results, forKey: .results)
        try container.encode(next, forKey: .next)
    }
}
