import CaptureModel
import CaptureOperations
import CaptureStore

/// The verified results of a compromised key, as JSON.
struct AffectedDocument: Encodable, Sendable {
    private let results: [AffectedResultDocument]
    @OrNull private var next: String?

    /// - Parameter found: One more than the page has, where others follow.
    init(_ found: [AffectedResult], limit: Int) {
        let page = found.prefix(limit)
        results = page.map { AffectedResultDocument($0) }
        next = found.count > page.count ? page.last.map { "\($0.counter)" } : nil
    }
}
