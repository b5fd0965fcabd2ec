import CaptureModel
import CaptureStore
import FoundationEssentials

/// Checks as a JSON object: name → `{"outcome": …, "reason": …}`; the rollout's has its `ruling` as well.
///
/// An object, so that the settling transaction can set a check by name; readers sort by ``Check/Name``.
enum ChecksJSON {
    private struct Entry: Codable {
        let outcome: Check.Outcome
        let reason: Reason?
        let ruling: RolloutRuling?
    }

    /// Writes the checks; every name and code is a plain word, so nothing needs escaping.
    static func encode(_ checks: [Check], rollout: RolloutRuling? = nil) -> String {
        var text = "{"
        // A dozen checks at most; every settled capture has such a text, which so grows into its place.
        text.reserveCapacity(512)
        for check in checks {
            text += text.utf8.count == 1 ? "\"" : ",\""
            text += check.name.rawValue
            text += #"":{"outcome":""#
            text += check.outcome.rawValue
            if let reason = check.reason {
                text += #"","reason":""#
                text += reason.rawValue
            }
            text += "\""
            if check.name == .rollout, let ruling = rollout.flatMap(Self.text) { text += #","ruling":\#(ruling)"# }
            text += "}"
        }
        return text + "}"
    }

    /// A ruling has texts and whole numbers only, which are always written.
    private static func text(_ ruling: RolloutRuling) -> String? {
        (try? JSONEncoder().encode(ruling)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads what ``encode(_:rollout:)`` and the settling transaction wrote; `nil` for anything else.
    static func decode(_ text: String) -> (checks: [Check], rollout: RolloutRuling?)? {
        // What is wrong with a row that only our own function writes is of no use to the caller.
        guard let entries = try? JSONDecoder().decode([String: Entry].self, from: Data(text.utf8)) else { return nil }
        let checks = entries.compactMap { name, entry in
            Check.Name(rawValue: name).map { Check($0, entry.outcome, entry.reason) }
        }
        guard checks.count == entries.count else { return nil }
        return (SettleRules.sorted(checks), entries[Check.Name.rollout.rawValue]?.ruling)
    }
}
