import AppAttest
import CaptureModel
import CaptureOperations
import CaptureStore

extension OpenAPISchemas {
    /// What operators learn of devices, and do to them.
    var operators: [String: JSONValue] {
        [
            "DeviceSummary": deviceSummary,
            "DeviceList": Self.object([
                "devices": ["type": "array", "items": Self.reference("DeviceSummary")], "next": Self.next,
            ]),
            "ReceiptStanding": receiptStanding,
            "Attestation": Self.object([
                "at": Self.moment, "model": Self.text, "os_version": Self.orNull("string"),
                "bundle_version": Self.orNull("string"), "validation_category": Self.orNull("integer"),
            ]),
            "DeviceDetails": deviceDetails,
            "Rollout": rollout,
            "FoundIDs": foundIDs,
            "AuditLog": Self.object(["entries": ["type": "array", "items": auditEntry], "next": Self.next]),
            "RevocationRequest": revocationRequest,
            "Revocation": revocation,
            "AffectedResults": Self.object([
                "results": [
                    "type": "array",
                    "items": Self.object([
                        "capture_id": Self.uuid, "counter": ["type": "integer"], "received_at": Self.moment,
                    ]),
                ],
                "next": Self.next,
            ]),
            "Reattestation": reattestation,
        ]
    }

    private var foundIDs: JSONValue {
        let ids: JSONValue = ["type": "array", "maxItems": .whole(Int64(FoundIDs.eachMax)), "items": Self.uuid]
        return Self.object([
            "captures": ids, "devices": ids, "cut": Self.flag.described("Whether there may be more of either."),
        ])
    }

    private var auditEntry: JSONValue {
        Self.object([
            "id": ["type": "integer"], "at": Self.moment, "actor": Self.text,
            "action": Self.text.described("What was done; `.missed` behind it says that it was not, after all."),
            "subject": Self.text, "details": ["type": "object", "additionalProperties": Self.text],
        ])
    }

    private var deviceSummary: JSONValue {
        Self.object([
            "device_id": Self.uuid, "key_id": Self.digest,
            "algorithm": Self.choice(of: Device.KeyAlgorithm.self),
            "attestation_level": Self.choice(of: AttestationLevel.self),
            "reason": Self.orNull("string"), "environment": Self.choiceOrNull(of: KeyEnvironment.self),
            "platform": Self.platform, "model": Self.text,
            "app_id": Self.orNull("string"), "trust_root": Self.orNull("string"), "has_lidar": Self.flag,
            "registered_at": Self.moment, "revoked_at": Self.momentOrNull, "compromised_since": Self.momentOrNull,
            "risk_metric": Self.orNull("integer"), "risk_metric_at": Self.momentOrNull,
        ])
    }

    private var receiptStanding: JSONValue {
        Self.object([
            "outcome": Self.choice(of: ReceiptOutcome.self), "reason": Self.orNull("string"),
            "attempts": Self.count, "received_at": Self.moment, "asked_at": Self.momentOrNull,
            "next_at": Self.momentOrNull,
        ])
    }

    private var deviceDetails: JSONValue {
        Self.object([
            "device": Self.reference("DeviceSummary"), "capture_counter": Self.count,
            "request_counter": Self.count, "last_seen": Self.moment,
            "revoked_reason": Self.orNull("string"), "revoked_by": Self.orNull("string"),
            "superseded_by": Self.orNull("string"), "compromised_since": Self.momentOrNull,
            "compromised_reason": Self.orNull("string"), "compromised_by": Self.orNull("string"),
            "device_check": Self.referenceOrNull("DeviceCheck"),
            "receipt": Self.referenceOrNull("ReceiptStanding"),
            "attestations": [
                "type": "array", "maxItems": .whole(Int64(1 + AttestationHistory.latestMax)),
                "items": Self.reference("Attestation"), "description": "The registration's first, the latest last.",
            ],
            "attestations_cut": Self.flag.described("Whether there are others between the first and the second."),
        ])
    }

    /// The policy in force, app by app.
    private var rollout: JSONValue {
        Self.object([
            "policy_sha256": Self.digest, "since": Self.momentOrNull,
            "fault": Self.orNull("string").described("Why the file, as it is now, is not in force."),
            "apps": [
                "type": "array",
                "items": Self.object([
                    "app_id": Self.text, "mode": Self.choice(of: RolloutMode.self),
                    "percentage": ["type": "string", "pattern": "^[0-9]{1,3}([.][0-9]{1,2})?$"],
                    "buckets_within": Self.bucketsWithin,
                    "os_version_minimum": Self.orNull("string"), "bundle_version_minimum": Self.orNull("string"),
                    "validation_categories": ["type": ["array", "null"], "items": ["type": "integer"]],
                    "not_below_attested": ["type": "array", "items": Self.attestedFact],
                ]),
            ],
        ])
    }

    private var revocationRequest: JSONValue {
        Self.object(
            [
                "reason": [
                    "type": "string", "minLength": 1, "maxLength": .whole(Int64(RevocationReason.bytesMax)),
                    "description": .string("\(RevocationReason.rule), in UTF-8."),
                ],
                "compromised_since": Self.moment.described(
                    "Since when the key was in other hands: what it signed since then is marked."),
            ], required: ["reason"]
        ).adding(["additionalProperties": false])
    }

    private var revocation: JSONValue {
        Self.object(
            [
                "device_id": Self.uuid, "revoked_at": Self.moment,
                "affected_results": Self.count.described(
                    "Missing, as `revoked_at` may be, where the record could not be asked after it was done."),
                "affected_results_or_more": Self.flag.described(
                    "Whether counting ended there: it is that many or more."),
            ], required: ["device_id", "affected_results_or_more"])
    }

    private var reattestation: JSONValue {
        Self.object([
            "device_id": Self.uuid,
            "drift": [
                "type": "array",
                "items": Self.object(
                    [
                        "fact": Self.choice(of: Drift.Fact.self), "before": Self.orNull("string"),
                        "after": Self.orNull("string"),
                    ]),
            ],
        ])
    }

    /// What rollouts may compare with the attestations of a key.
    private static let attestedFact = choice(of: ExtensionPolicy.AttestedFact.self)
}
