import CaptureModel
import CaptureOperations
import CaptureQueue

/// What one look of `watch` found, as JSON: its time beside the members of `stats`, or beside a fault alone.
struct WatchDocument: Encodable {
    private let at: Timestamp
    private let queue: QueueDocument?
    private let fault: String?

    /// Takes what was found.
    init(_ overview: QueueOverview, at: Timestamp) {
        (self.at, queue, fault) = (at, QueueDocument(overview), nil)
    }

    /// Takes why nothing was found.
    init(fault: String, at: Timestamp) {
        (self.at, queue, self.fault) = (at, nil, fault)
    }

    func encode(to encoder: any Encoder) throws {
        try queue?.encode(to: encoder)
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(at, forKey: "at")
        try container.encode(fault, forKey: "fault")
    }
}
