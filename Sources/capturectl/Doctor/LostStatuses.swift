import CaptureModel

/// Captures that the queue calls settled, that have no result in the record, and no open row in the ledger.
///
/// A record that was restored to an old state may lack the results of millions: as many are kept as one repair forgets.
struct LostStatuses: Sendable {
    /// How many are kept at most: each takes about a kilobyte until it is repaired.
    static let keptMax = 100_000

    /// Those that a repair forgets.
    private(set) var kept: [(capture: CaptureID, partition: Int)] = []
    /// Whether there are more.
    private(set) var hasMore = false
    /// The subjects of findings about those that are not kept.
    ///
    /// Nothing is mended of them: while their statuses stay, their bytes look like leftovers of settled captures.
    private(set) var untouchable: Set<String> = []
    private var met: Set<CaptureID> = []
    private let keptMax: Int

    /// None yet.
    init(keptMax: Int = LostStatuses.keptMax) {
        self.keptMax = keptMax
    }

    /// Adds a capture once.
    /// - Parameter subjects: The subjects of the queue's findings.
    mutating func add(_ capture: CaptureID, partition: Int, subjects: Set<String>) {
        guard !met.contains(capture) else { return }
        guard kept.count < keptMax else {
            hasMore = true
            let subject = capture.description
            if subjects.contains(subject) { untouchable.insert(subject) }
            return
        }
        met.insert(capture)
        kept.append((capture, partition))
    }
}
