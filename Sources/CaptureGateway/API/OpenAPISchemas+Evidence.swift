import CaptureModel
import Evidence

extension OpenAPISchemas {
    /// What others need to verify a settled capture's signature; ``CaptureEvidence`` writes it.
    var evidence: [String: JSONValue] {
        [
            "Evidence": Self.object([
                "format": ["const": .string(CaptureEvidence.format)],
                "result": Self.object([
                    "capture_id": Self.uuid,
                    "device_id": Self.uuid,
                    "verdict": Self.choice(of: Verdict.self),
                    "reason": Self.referenceOrNull("Reason"),
                    "confidence": Self.choice(of: Confidence.self),
                    "counter": Self.orNull("integer"),
                    "binding": Self.choice(of: Binding.self),
                    "photo_sha256": Self.digest,
                    "depth_sha256": Self.digest,
                    "metadata_sha256": Self.digest,
                    "client_data_sha256": Self.digest,
                    "received_at": Self.moment,
                    "settled_at": Self.moment,
                    "compromised_since": Self.notedCompromise,
                    "checks": ["type": "array", "items": Self.reference("EvidenceCheck")],
                    "counter_policy": Self.counterPolicy,
                    "processor_version": Self.text,
                ]),
                "assertion": Self.base64("As uploaded: CBOR."),
                "metadata": Self.base64(
                    "As uploaded: JSON. Nobody signed it where the binding is \(Binding.concatV1.rawValue)."),
                "key": Self.referenceOrNull("EvidenceKey"),
            ]),
            "EvidenceCheck": Self.object([
                "name": Self.choice(of: Check.Name.self),
                "outcome": Self.choice(of: Check.Outcome.self),
                "reason": Self.referenceOrNull("Reason"),
            ]),
            "EvidenceKey": Self.object([
                "key_id": Self.base64("SHA-256 of the public key."),
                "public_key": Self.base64OrNull("X9.63, 65 bytes (P-256), or 32 raw bytes (Ed25519)."),
                "registered_at": Self.moment,
                "attestation_object": Self.base64OrNull("Null for a key that nobody vouches for."),
                "client_data_hash": Self.base64OrNull("What the attestation answers, 32 bytes."),
            ]),
        ]
    }

    private static let notedCompromise = momentOrNull.described(
        "Since when the key may have been in other hands, if the capture is from then or later.")

    private static func base64OrNull(_ description: String) -> JSONValue {
        orNull("string").adding(["contentEncoding": "base64", "description": .string(description)])
    }
}
