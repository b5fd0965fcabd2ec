import CaptureModel
import FoundationEssentials

/// Checks as a JSON object: name → `{"outcome": …, "reason": …}`.
///
/// It is an object, so that the settling transaction can set a check by name; readers sort by ``Check/Name``. The
/// rollout's check also has its `ruling`. The risk's check also has the judged `metric`, the time `at` which Apple
/// reported it, and the `warning` limit. The entry `claim` is no check: it has the time `at` which the capture was
/// claimed. Times are in microseconds since 1970.
enum ChecksJSON {
    /// The content of a result's text.
    typealias Kept = (checks: [Check], rollout: RolloutRuling?, risk: JudgedRisk?, claimedAt: Timestamp)

    private static let claim = "claim"

    /// Writes the checks; every name and code is a plain word, so these need no escaping.
    static func encode(
        _ checks: [Check], rollout: RolloutRuling? = nil, risk: JudgedRisk? = nil, claimedAt: Timestamp
    ) -> String {
        var text = "{"
        // At most a dozen checks; every settled capture has such a text, so its capacity is reserved at once.
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
            if check.name == .rollout, let rollout { rollout.write(to: &text) }
            if check.name == .risk, let risk { risk.write(to: &text) }
            text += "}"
        }
        text += text.utf8.count == 1 ? "\"" : ",\""
        text += claim
        text += #"":{"outcome":"pass","at":"#
        text += String(claimedAt.storable)
        return text + "}}"
    }

    /// Reads what ``encode(_:rollout:risk:claimedAt:)`` and the settling transaction wrote; `nil` for anything else.
    ///
    /// Checks that this release does not know are left out: the result is decided all the same.
    static func decode(_ text: String) -> Kept? {
        // Only our own function writes the row, so the caller has no use for details of the fault.
        guard let entries = try? JSONDecoder().decode([String: Entry].self, from: Data(text.utf8)),
            let claimedAt = entries[claim]?.moment
        else { return nil }
        let checks = entries.compactMap { name, entry -> Check? in
            guard let name = Check.Name(rawValue: name), let outcome = entry.outcome else { return nil }
            return Check(name, outcome, entry.reason)
        }
        return (
            checks.inOrder, entries[Check.Name.rollout.rawValue]?.ruling,
            entries[Check.Name.risk.rawValue].flatMap { JudgedRisk($0) },
            Timestamp(microsecondsSince1970: claimedAt)
        )
    }
}
