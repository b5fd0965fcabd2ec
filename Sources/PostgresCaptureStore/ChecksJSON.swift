import CaptureModel
import CaptureStore
import FoundationEssentials

/// Checks as a JSON object: name → `{"outcome": …, "reason": …}`.
///
/// It is an object, so that the settling transaction can set a check by name; readers sort by ``Check/Name``. The
/// rollout's check has its `ruling` as well. The risk's has the `metric` that was judged, the time `at` which Apple told
/// it, and the `warning` that it was held against. The entry `claim` is no check: it has the time `at` which the capture
/// was claimed. To older releases it looks like a check that a newer one has added, and so they leave it out. Times are
/// in microseconds since 1970.
enum ChecksJSON {
    /// What a result's text says.
    typealias Kept = (checks: [Check], rollout: RolloutRuling?, risk: JudgedRisk?, claimedAt: Timestamp?)

    private static let claim = "claim"

    /// A check as it was kept; `nil` stands for what a newer release has written and this one does not know.
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
            // A ruling in a newer release's words cannot be told again: it is left out, and the check stays.
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

    /// Writes a ruling as it encodes itself, without an encoder for each capture and without a way to fail.
    private static func write(_ ruling: RolloutRuling, to text: inout String) {
        text += #","ruling":{"policy_sha256":"\#(ruling.policy.hex)","mode":"\#(ruling.mode.rawValue)""#
        text += #","bucket":\#(ruling.bucket),"buckets_within":\#(ruling.bucketsWithin),"within":\#(ruling.isWithin)"#
        text += #","would_reject":\#(string(ruling.wouldReject?.rawValue)),"unmet":["#
        text += ruling.unmet.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
        text += #"],"os_version":\#(string(ruling.facts.osVersion))"#
        text += #","bundle_version":\#(string(ruling.facts.bundleVersion))"#
        text += #","validation_category":\#(ruling.facts.validationCategory.map(String.init) ?? "null")"#
        // Only where they were compared, since every settled capture has such a text.
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
    /// What rulings have here is digits and dots, which it is not for this place to know: devices wrote them.
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
    /// Checks that this release does not know are left out: the result is not the less decided for them.
    static func decode(_ text: String) -> Kept? {
        // What is wrong with a row that only our own function writes is of no use to the caller.
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
