import CaptureModel

/// A check in a document: its outcome according to the record, in the words of the release that wrote it.
struct RecordedCheck: Codable, Equatable {
    var name: String
    var outcome: String
    @OrNull var reason: String?
    /// The names of its members that this release does not know.
    var unknownMembers: [String] = []

    private enum CodingKeys: String, CodingKey { case name, outcome, reason }

    /// A member's value that nobody looks at.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    init(_ check: Check) {
        name = check.name.rawValue
        outcome = check.outcome.rawValue
        reason = check.reason?.rawValue
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        name = try members.decode(String.self, forKey: .name)
        outcome = try members.decode(String.self, forKey: .outcome)
        _reason = try members.decode(OrNull<String>.self, forKey: .reason)
        let names = try decoder.singleValueContainer().decode([String: Anything].self).keys
        unknownMembers = names.filter { CodingKeys(stringValue: $0) == nil }.sorted()
        guard unknownMembers.count <= DocumentMembers.unknownMax else {
            throw EvidenceError(
                .membersTooMany, at: decoder.codingPath, "has too many members that this release does not know")
        }
    }

    /// The check; `nil` for one that this release does not know, as nothing verifies it anyway.
    var check: Check? {
        guard let name = Check.Name(word: name), let outcome = Check.Outcome(word: outcome) else { return nil }
        return Check(name, outcome, reason.map { Reason(recorded: $0) })
    }

    /// Whether its reason is a word that this release does not know.
    var hasUnknownReason: Bool { reason.map { Reason(word: $0) == nil } ?? false }
}
