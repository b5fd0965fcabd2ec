import CaptureModel
import CaptureStore
import FoundationEssentials

/// Checks as a JSON object: name → `{"outcome": …, "reason": …}`.
///
/// It is an object, so that the settling transaction can set a check by name; readers sort by ``Check/Name``. The
/// rollout's check also has its `ruling`. The risk's check also has the judged `metric`, the time `at` which Apple
/// reported it, and the `warning` limit. The entry `claim` is no check: it has the time `at` which the capture was
/// claimed. Older releases take it for a check of a newer release, and so leave it out. Times are in microseconds since
/// 1970.
enum ChecksJSON {
    /// The content of a result's text.
    typealias Kept = (checks: [Check], rollout: RolloutRuling?, risk: JudgedRisk?, claimedAt: Timestamp?)

    private static let claim = "claim"

    /// A check as it was kept; `nil` stands for a value of a newer release that this one does not know.
    private struct Entry: Decodable {
        let outcome: Check.Outcome?
        let reason: Reason?
        let ruling: RolloutRuling?
        let moment: Int64?
        let metric: Int?
        let warning: Int?

        private enum CodingKeys: String, CodingKey {
            case outcome, reason, ruling, metric, warning
            case moment = "at"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            outcome = Check.Outcome(rawValue: try container.decode(String.self, forKey: .outcome))
            reason = try container.decodeIfPresent(String.self, forKey: .reason).map(Reason.init(recorded:))
            // A ruling in a newer release's words is left out, and the check stays.
            ruling = try? container.decodeIfPresent(RolloutRuling.self, forKey: .ruling)
            moment = try? container.decodeIfPresent(Int64.self, forKey: .moment)
            metric = try? container.decodeIfPresent(Int.self, forKey: .metric)
            warning = try? container.decodeIfPresent(Int.self, forKey: .warning)
        }

        var risk: JudgedRisk? {
            guard let metric, let moment, let warning else { return nil }
            return JudgedRisk(
                DeviceRisk(metric: metric, at: Timestamp(microsecondsSince1970: moment)), warning: warning)
        }
    }

    /// Writes the checks; every name and code is a plain word, so these need no escaping.
    static func encode(
        _ checks: [Check], rollout: RolloutRuling? = nil, risk: JudgedRisk? = nil, claimedAt: Timestamp? = nil
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
            if check.name == .rollout, let rollout { write(rollout, to: &text) }
            if check.name == .risk, let risk { write(risk, to: &text) }
            text += "}"
        }
        if let claimedAt {
            text += text.utf8.count == 1 ? "\"" : ",\""
            text += claim
            text += #"":{"outcome":"pass","at":"#
            text += String(claimedAt.storable)
            text += "}"
        }
        return text + "}"
    }

    private static func write(_ risk: JudgedRisk, to text: inout String) {
        text += #","metric":\#(risk.risk.metric),"at":\#(risk.risk.at.storable),"warning":\#(risk.warning)"#
    }

    /// Writes a ruling as `Encodable` would, but without an encoder for each capture, and without throwing.
    private static func write(_ ruling: RolloutRuling, to text: inout String) {
        text += #","ruling":{"policy_sha256":"\#(ruling.policy.hex)","mode":"\#(ruling.mode.rawValue)""#
        text += #","bucket":\#(ruling.bucket),"buckets_within":\#(ruling.bucketsWithin),"within":\#(ruling.isWithin)"#
        text += #","would_reject":\#(string(ruling.wouldReject?.rawValue)),"unmet":["#
        text += ruling.unmet.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
        text += #"],"os_version":\#(string(ruling.facts.osVersion))"#
        text += #","bundle_version":\#(string(ruling.facts.bundleVersion))"#
        text += #","validation_category":\#(ruling.facts.validationCategory.map(String.init) ?? "null")"#
        // It is written only if it was compared, since every settled capture has such a text.
        if let version = ruling.facts.attestedBundleVersion {
            text += #","attested_bundle_version":\#(string(version))"#
        }
        if let category = ruling.facts.attestedValidationCategory {
            text += #","attested_validation_category":\#(category)"#
        }
        text += "}"
    }

    /// A string of RFC 8259, section 7, or `null`.
    ///
    /// Rulings have only digits and dots here, but this function does not rely on it: devices wrote them.
    private static func string(_ text: String?) -> String {
        guard let text else { return "null" }
        var string = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" || scalar.value < 0x20 {
                let digits = String(scalar.value, radix: 16)
                string += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            } else {
                string.unicodeScalars.append(scalar)
            }
        }
        return string + "\""
    }

    /// Reads what ``encode(_:rollout:risk:claimedAt:)`` and the settling transaction wrote; `nil` for anything else.
    ///
    /// Checks that this release does not know are left out: the result is decided all the same.
    static func decode(_ text: String) -> Kept? {
        // Only our own function writes the row, so the caller has no use for details of the fault.
        guard let entries = try? JSONDecoder().decode([String: Entry].self, from: Data(text.utf8)) else { return nil }
        let checks = entries.compactMap { name, entry -> Check? in
            guard let name = Check.Name(rawValue: name), let outcome = entry.outcome else { return nil }
            return Check(name, outcome, entry.reason)
        }
        return (
            SettleRules.sorted(checks), entries[Check.Name.rollout.rawValue]?.ruling,
            entries[Check.Name.risk.rawValue]?.risk, entries[claim]?.moment.map(Timestamp.init(microsecondsSince1970:))
        )
    }
}
