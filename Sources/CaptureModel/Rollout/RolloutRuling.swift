/// The decision of a rollout's policy about one device or capture, with all that is needed to make it again.
///
/// The policy is named by the SHA-256 of its file, the device's bucket follows from its key id, and the facts are the
/// signed ones: everybody who has the file comes to the same ruling.
package struct RolloutRuling: Sendable, Equatable {
    /// The known facts; an unknown one is not held against anybody.
    package struct Facts: Sendable, Equatable {
        /// The version of the system.
        package let osVersion: String?
        /// The app's CFBundleVersion; `nil` when it is unknown or no version.
        package let bundleVersion: String?
        /// How the app was distributed, as Apple numbers it; `nil` when it is unknown or unreadable.
        package let validationCategory: Int?
        /// The lowest attested bundle version; `nil` where the rollout does not compare with it.
        package let attestedBundleVersion: String?
        /// The attested validation category that was compared with; `nil` where the rollout does not compare with one.
        package let attestedValidationCategory: Int?

        /// Memberwise.
        package init(
            osVersion: String?, bundleVersion: String?, validationCategory: Int?,
            attestedBundleVersion: String? = nil, attestedValidationCategory: Int? = nil
        ) {
            self.osVersion = osVersion
            self.bundleVersion = bundleVersion
            self.validationCategory = validationCategory
            self.attestedBundleVersion = attestedBundleVersion
            self.attestedValidationCategory = attestedValidationCategory
        }
    }

    /// SHA-256 of the policy's file.
    package let policy: SHA256Digest
    /// The app's mode; never `off`, because `off` judges nothing.
    package let mode: RolloutMode
    /// The device's bucket, from 0 to 9,999.
    package let bucket: Int
    /// How many buckets the percentage covers: it covers the device when its bucket is less.
    package let bucketsWithin: Int
    /// What was judged.
    package let facts: Facts
    /// The requirements that are not met, in the order of ``RolloutRequirement``.
    package let unmet: [RolloutRequirement]

    /// Memberwise.
    package init(
        policy: SHA256Digest, mode: RolloutMode, bucket: Int, bucketsWithin: Int, facts: Facts,
        unmet: [RolloutRequirement]
    ) {
        self.policy = policy
        self.mode = mode
        self.bucket = bucket
        self.bucketsWithin = bucketsWithin
        self.facts = facts
        self.unmet = unmet
    }

    /// Whether the percentage covers the device.
    package var isWithin: Bool { bucket < bucketsWithin }

    /// Why `enforce` would refuse it, in either mode.
    package var objection: Reason? { isWithin ? unmet.first?.reason : nil }

    /// Why it is refused under `enforce`; `nil` under `monitor`.
    package var rejection: Reason? { mode == .enforce ? objection : nil }

    /// Why `enforce` would refuse it, while the mode is `monitor`.
    package var wouldReject: Reason? { mode == .monitor ? objection : nil }

    /// The ruling as a check of a capture: `unavailable` for a device that the percentage does not cover.
    package var check: Check {
        if !isWithin { return Check(.rollout, .unavailable, .notEvaluated) }
        if let rejection { return Check(.rollout, .fail, rejection) }
        return wouldReject == nil ? Check(.rollout, .pass) : Check(.rollout, .fail, .rolloutWouldReject)
    }
}

extension RolloutRuling: Codable {
    private enum CodingKeys: String, CodingKey {
        case policy = "policy_sha256"
        case mode, bucket, within, unmet
        case bucketsWithin = "buckets_within"
        case wouldReject = "would_reject"
        case osVersion = "os_version"
        case bundleVersion = "bundle_version"
        case validationCategory = "validation_category"
        case attestedBundleVersion = "attested_bundle_version"
        case attestedValidationCategory = "attested_validation_category"
    }

    /// Reads what ``encode(to:)`` wrote.
    /// - Throws: `DecodingError` when a member is missing or malformed.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let policy = SHA256Digest(hex: try container.decode(String.self, forKey: .policy)) else {
            throw DecodingError.dataCorruptedError(forKey: .policy, in: container, debugDescription: "no SHA-256")
        }
        self.init(
            policy: policy, mode: try container.decode(RolloutMode.self, forKey: .mode),
            bucket: try container.decode(Int.self, forKey: .bucket),
            bucketsWithin: try container.decode(Int.self, forKey: .bucketsWithin),
            facts: Facts(
                osVersion: try container.decodeIfPresent(String.self, forKey: .osVersion),
                bundleVersion: try container.decodeIfPresent(String.self, forKey: .bundleVersion),
                validationCategory: try container.decodeIfPresent(Int.self, forKey: .validationCategory),
                attestedBundleVersion: try container.decodeIfPresent(String.self, forKey: .attestedBundleVersion),
                attestedValidationCategory: try container.decodeIfPresent(
                    Int.self, forKey: .attestedValidationCategory)),
            unmet: try container.decode([RolloutRequirement].self, forKey: .unmet))
    }

    /// Writes it as results show it; `within` and `would_reject` follow from the rest.
    ///
    /// Attested values are written only where they were compared with.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(policy.hex, forKey: .policy)
        try container.encode(mode, forKey: .mode)
        try container.encode(bucket, forKey: .bucket)
        try container.encode(bucketsWithin, forKey: .bucketsWithin)
        try container.encode(isWithin, forKey: .within)
        try container.encode(wouldReject, forKey: .wouldReject)
        try container.encode(unmet, forKey: .unmet)
        try container.encode(facts.osVersion, forKey: .osVersion)
        try container.encode(facts.bundleVersion, forKey: .bundleVersion)
        try container.encode(facts.validationCategory, forKey: .validationCategory)
        try container.encodeIfPresent(facts.attestedBundleVersion, forKey: .attestedBundleVersion)
        try container.encodeIfPresent(facts.attestedValidationCategory, forKey: .attestedValidationCategory)
    }
}
