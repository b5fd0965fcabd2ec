import CaptureModel

extension RolloutRuling {
    /// Appends the ruling to the entry of its check, as `Encodable` would write it.
    ///
    /// It does without an encoder for each capture, and without throwing.
    func write(to text: inout String) {
        text += #","ruling":{"policy_sha256":"\#(policy.hex)","mode":"\#(mode.rawValue)""#
        text += #","bucket":\#(bucket),"buckets_within":\#(bucketsWithin),"within":\#(isWithin)"#
        text += #","would_reject":\#(JSONString.quoted(wouldReject?.rawValue)),"unmet":["#
        text += unmet.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
        text += #"],"os_version":\#(JSONString.quoted(facts.osVersion))"#
        text += #","bundle_version":\#(JSONString.quoted(facts.bundleVersion))"#
        text += #","validation_category":\#(facts.validationCategory.map(String.init) ?? "null")"#
        // It is written only if it was compared, since every settled capture has such a text.
        if let version = facts.attestedBundleVersion {
            text += #","attested_bundle_version":\#(JSONString.quoted(version))"#
        }
        if let category = facts.attestedValidationCategory {
            text += #","attested_validation_category":\#(category)"#
        }
        text += "}"
    }
}
