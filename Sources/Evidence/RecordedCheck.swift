import CaptureModel

/// A check in a document: its outcome according to the record.
struct RecordedCheck: Codable {
    var name: String
    var outcome: String
    @OrNull var reason: String?

    init(_ check: Check) {
        name = check.name.rawValue
        outcome = check.outcome.rawValue
        reason = check.reason?.rawValue
    }

    /// The check; `nil` for one that this release does not know, as nothing verifies it anyway.
    var check: Check? {
        guard let name = Check.Name(word: name), let outcome = Check.Outcome(word: outcome) else { return nil }
        return Check(name, outcome, reason.map { Reason(recorded: $0) })
    }
}
