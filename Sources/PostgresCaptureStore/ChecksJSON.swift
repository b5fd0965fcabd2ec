import CaptureModel
import CaptureStore
import FoundationEssentials

/// Checks as a JSON object: name → `{"outcome": …, "reason": …}`.
///
/// An object, so that the settling transaction can set a check by name; readers sort by ``Check/Name``.
enum ChecksJSON {
    private struct Entry: Codable {
        let outcome: Check.Outcome
        let reason: Reason?
    }

    /// Writes the checks; every name and code is a plain word, so nothing needs escaping.
    static func encode(_ checks: [Check]) -> String {
        let members = checks.map { check in
            let reason = check.reason.map { #","reason":"\#($0.rawValue)""# } ?? ""
            return #""\#(check.name.rawValue)":{"outcome":"\#(check.outcome.rawValue)"\#(reason)}"#
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// Reads what ``encode(_:)`` and the settling transaction wrote; `nil` for anything else.
    static func decode(_ text: String) -> [Check]? {
        // What is wrong with a row that only our own function writes is of no use to the caller.
        guard let entries = try? JSONDecoder().decode([String: Entry].self, from: Data(text.utf8)) else { return nil }
        let checks = entries.compactMap { name, entry in
            Check.Name(rawValue: name).map { Check($0, entry.outcome, entry.reason) }
        }
        return checks.count == entries.count ? SettleRules.sorted(checks) : nil
    }
}
