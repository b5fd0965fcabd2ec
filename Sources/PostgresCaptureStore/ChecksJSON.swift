import CaptureModel
import CaptureStore
import FoundationEssentials

/// Checks as a JSON object: name → `{"outcome": …, "reason": …}`; the rollout's has its `ruling` as well.
///
/// An object, so that the settling transaction can set a check by name; readers sort by ``Check/Name``. With them is
/// `claim`, which is none: it has the time `at` which the capture was claimed, in microseconds since 1970. To older
/// releases it looks like a check that a newer one has added, and so they leave it out.
enum ChecksJSON {
    /// What a result's text says.
    typealias Kept = (checks: [Check], rollout: RolloutRuling?, claimedAt: Timestamp?)

    private static let claim = "claim"

    /// A check as it was kept; `nil` stands for what a newer release has written and this one does not know.
    private struct Entry: Decodable {
        let outcome: Check.Outcome?
        let reason: Reason?
        let ruling: RolloutRuling?
        let moment: Int64?

        private enum CodingKeys: String, CodingKey {
            case outcome, reason, ruling
            case moment = "at"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            outcome = Check.Outcome(rawValue: try container.decode(String.self, forKey: .outcome))
            reason = try container.decodeIfPresent(String.self, forKey: .reason).map(Reason.init(recorded:))
            // It says nothing that could be said again without its words.
            ruling = try? container.decodeIfPresent(RolloutRuling.self, forKey: .ruling)
            moment = try? container.decodeIfPresent(Int64.self, forKey: .moment)
        }
    }

    /// Writes the checks; every name and code is a plain word, so these need no escaping.
    static func encode(_ checks: [Check], rollout: RolloutRuling? = nil, claimedAt: Timestamp? = nil) -> String {
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

    /// Reads what ``encode(_:rollout:claimedAt:)`` and the settling transaction wrote; `nil` for anything else.
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
            entries[claim]?.moment.map(Timestamp.init(microsecondsSince1970:))
        )
    }
}
