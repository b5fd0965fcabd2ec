import CaptureModel

extension OpenAPISchemas {
    /// Challenges and registrations.
    var devices: [String: JSONTree] {
        [
            "Challenge": Self.object(["challenge": Self.base64("32 bytes"), "expires_at": Self.moment]),
            "Registration": Self.object(
                [
                    "platform": ["const": "ios"],
                    "model": ["type": "string", "minLength": 1, "maxLength": 64],
                    "has_lidar": ["type": "boolean"],
                    "attestation": Self.object([
                        "key_id": Self.base64("32 bytes: SHA-256 of the public key"),
                        "attestation_object": Self.base64("the attestation object, CBOR"),
                        "challenge": Self.base64("the challenge that was attested to"),
                    ]),
                    "public_key": Self.object([
                        "algorithm": ["const": "ed25519"],
                        "key": Self.base64("32 bytes"),
                        "challenge": Self.base64("the challenge that was signed"),
                        "signature": Self.base64("64 bytes: Ed25519 over the challenge's bytes"),
                    ]),
                ], required: ["platform", "model", "has_lidar"]
            ).adding(["oneOf": [["required": ["attestation"]], ["required": ["public_key"]]]]),
            "Device": Self.object(
                [
                    "device_id": Self.uuid,
                    "attestation_level": Self.choice(AttestationLevel.allCases.map(\.rawValue)),
                    "reason": ["type": "string", "description": "Why the device is unverified."],
                    "key_id": Self.digest,
                    "environment": Self.orNull("string"),
                    "app_id": Self.orNull("string"),
                    "trust_root": [
                        "type": ["string", "null"], "description": "`<common name> sha256:<hexadecimal>`",
                    ],
                    "registered_at": Self.moment,
                ],
                required: [
                    "device_id", "attestation_level", "key_id", "environment", "app_id", "trust_root", "registered_at",
                ]),
        ]
    }
}
