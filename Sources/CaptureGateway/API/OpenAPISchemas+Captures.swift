import CaptureModel
import Rollout

extension OpenAPISchemas {
    /// Uploads, statuses and results.
    var captures: [String: JSONValue] {
        let documents: [String: JSONValue] = [
            "CaptureStatus": captureStatus,
            "StatusRequest": Self.object([
                "capture_ids": [
                    "type": "array", "items": Self.uuid, "maxItems": .whole(Int64(configuration.reading.statusIDsMax)),
                    "description": .string("A device asks for at most \(configuration.reading.deviceStatusIDsMax)."),
                ]
            ]).adding(["additionalProperties": false]),
            "CaptureStatuses": Self.object([
                "captures": ["type": "array", "items": Self.reference("CaptureStatus")]
            ]),
            "CaptureList": Self.object([
                "captures": ["type": "array", "items": listedCapture],
                "next": Self.next,
            ]),
            "Check": Self.object(
                [
                    "name": Self.choice(of: Check.Name.self),
                    "outcome": Self.choice(of: Check.Outcome.self),
                ].merging(explained) { first, _ in first }),
            "Provenance": provenance,
            "RolloutRuling": rolloutRuling,
        ]
        return documents.merging(uploads) { first, _ in first }
    }

    /// All members are there, `null` without a value; only the timings are missing as long as there is no result.
    ///
    /// The status of a settled capture comes from the record alone, so that it stays the same.
    private var captureStatus: JSONValue {
        var members: [String: JSONValue] = [
            "capture_id": Self.uuid,
            "device_id": Self.uuid,
            "status": Self.reference("CaptureState"),
            "attempts": Self.count,
            "verdict": Self.choiceOrNull(of: Verdict.self),
            "confidence": Self.choiceOrNull(of: Confidence.self),
            "received_at": Self.moment,
            "claimed_at": Self.momentOrNull,
            "settled_at": Self.momentOrNull.described(
                "When its result was written into the record; of a dead letter, when it was given up."),
            "next_attempt_at": Self.momentOrNull,
        ].merging(explained) { first, _ in first }
        members["fault"] = Self.orNull("string").described(
            "The fault that put it off or made it fail, in servers' own words; null for devices.")
        members["redriven"] = Self.redriven
        members["would_reject"] = Self.wouldReject
        members["compromised_since"] = Self.compromisedSince
        let required = members.keys.sorted()
        members["timings"] = Self.object([
            "queue_ms": Self.span("From received to claimed."), "verify_ms": Self.span("From claimed to verified."),
            "settle_ms": Self.span("From verified to settled."),
        ])
        return Self.object(members, required: required)
    }

    private var listedCapture: JSONValue {
        Self.object(
            [
                "capture_id": Self.uuid, "device_id": Self.uuid, "status": Self.reference("CaptureState"),
                "fault": Self.orNull("string"),
                "confidence": Self.choiceOrNull(of: Confidence.self),
                "counter": Self.orNull("integer"), "attempts": Self.count,
                "redriven": Self.redriven, "received_at": Self.moment, "verified_at": Self.momentOrNull,
                "compromised_since": Self.compromisedSince,
            ].merging(explained) { first, _ in first })
    }

    private var provenance: JSONValue {
        Self.object(
            [
                "capture_id": Self.uuid,
                "device_id": Self.uuid,
                "key_id": Self.orNull("string"),
                "attestation_level": Self.choice(of: AttestationLevel.self),
                "environment": Self.choiceOrNull(of: KeyEnvironment.self),
                "app_id": Self.orNull("string"),
                "trust_root": Self.orNull("string"),
                "risk_metric": [
                    "type": ["integer", "null"], "minimum": 0,
                    "description": .string(
                        "Apple's count of keys attested on the device in 30 days: the one that the check `risk` judged, "
                            + "or where it judged none, what was known when this was settled."),
                ],
                "risk_metric_at": Self.momentOrNull,
                "risk_warning": [
                    "type": ["integer", "null"], "minimum": 0,
                    "description": "The metric above which the check `risk` warned; null where it judged none.",
                ],
                "compromised_since": Self.compromisedSince,
                "counter": Self.orNull("integer"),
                "counter_policy": Self.counterPolicy,
                "binding": Self.choice(of: Binding.self),
                "photo_sha256": Self.digest,
                "depth_sha256": Self.digest,
                "metadata_sha256": Self.digest,
                "client_data_sha256": Self.digest,
                "checks": ["type": "array", "items": Self.reference("Check")],
                "rollout": Self.referenceOrNull("RolloutRuling"),
                "verdict": Self.choice(of: Verdict.self),
                "confidence": Self.choice(of: Confidence.self),
                "attempts": ["type": "integer", "minimum": 1],
                "redriven": Self.redriven,
                "captured_at": Self.momentOrNull,
                "received_at": Self.moment,
                "verified_at": Self.moment,
                "processor_version": Self.text,
            ].merging(explained) { first, _ in first })
    }

    /// The ruling of an app's rollout, with everything that is needed to reproduce it.
    private var rolloutRuling: JSONValue {
        let always: [String: JSONValue] = [
            "policy_sha256": Self.digest,
            "mode": Self.choice([RolloutMode.monitor, .enforce].map(\.rawValue)),
            "bucket": Self.count.adding([
                "maximum": .whole(Int64(RolloutBucket.count - 1)),
                "description": .string(
                    "The device's: SHA-256 of \(RolloutBucket.domain) and the 32 bytes of its key id, modulo "
                        + "\(RolloutBucket.count)."),
            ]),
            "buckets_within": Self.bucketsWithin.described(
                "The percentage times 100: the device is within when its bucket is less."),
            "within": Self.flag,
            "would_reject": Self.wouldReject,
            "unmet": [
                "type": "array", "items": Self.choice(of: RolloutRequirement.self),
            ],
            "os_version": Self.orNull("string"),
            "bundle_version": Self.orNull("string"),
            "validation_category": Self.orNull("integer"),
        ]
        let compared: [String: JSONValue] = [
            "attested_bundle_version": [
                "type": "string", "description": "The lowest that was attested; only where it was compared.",
            ],
            "attested_validation_category": [
                "type": "integer", "description": "What was attested; only where it was compared.",
            ],
        ]
        return Self.object(always.merging(compared) { first, _ in first }, required: always.keys.sorted())
    }

    /// How many buckets a percentage covers.
    static let bucketsWithin = count.adding(["maximum": .whole(Int64(RolloutBucket.count))])

    private static let wouldReject = referenceOrNull("Reason").described(
        "Why the app's rollout would have refused it, had it been enforced and not only watched.")

    private var explained: [String: JSONValue] {
        [
            "reason": Self.referenceOrNull("Reason"),
            "explanation": Self.orNull("string").described("The reason in words for people."),
        ]
    }

    /// A capture that was a dead letter for a while may have lost its place by that.
    private static let redriven = flag.described(
        "Whether it was redriven; with \(Reason.counterStale.rawValue): later ones may have been settled before it.")

    private static let compromisedSince = momentOrNull.described(
        "Since when the key may have been in other hands, if this is from then or later.")

    private static func span(_ description: String) -> JSONValue {
        ["type": "number", "minimum": 0, "description": .string(description)]
    }

}
