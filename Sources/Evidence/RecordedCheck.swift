import CaptureModel

/// A check in a document: its outcome according to the record, in the words of the release that wrote it.
struct RecordedCheck: Codable, Equatable {
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

    /// Whether its reason is a word that this release does not know.
    var hasUnknownReason: Bool { reason.map { Reason(word: $0) == nil } ?? false }
}
