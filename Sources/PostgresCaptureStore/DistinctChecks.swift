import CaptureModel

/// The checks of a batch as texts, each once, and which of them each capture has.
///
/// The checks of most captures are the same, and the record reads each text once.
struct DistinctChecks {
    private(set) var texts: [String] = []
    /// The place of each capture's text among ``texts``, from 1.
    private(set) var places: [Int32] = []

    init(_ batch: [ExaminedCapture]) {
        var known: [String: Int32] = [:]
        places.reserveCapacity(batch.count)
        var last: ExaminedCapture?
        for capture in batch {
            // Most often those of the capture before: no text is made to see it.
            if let last, let place = places.last, capture.hasChecks(of: last) {
                places.append(place)
                continue
            }
            last = capture
            let text = ChecksJSON.encode(
                capture.checks, rollout: capture.rollout, risk: capture.risk, claimedAt: capture.job.claimedAt)
            let place = known[text] ?? Int32(clamping: texts.count + 1)
            if known.updateValue(place, forKey: text) == nil { texts.append(text) }
            places.append(place)
        }
    }
}

extension ExaminedCapture {
    /// Whether its text would be the other one's.
    fileprivate func hasChecks(of other: ExaminedCapture) -> Bool {
        job.claimedAt == other.job.claimedAt && checks == other.checks && rollout == other.rollout && risk == other.risk
    }
}
