import CaptureModel

extension OpenAPISchemas {
    /// Challenges and registrations.
    var devices: [String: JSONValue] {
        [
            "Challenge": Self.object(["challenge": Self.base64("32 bytes"), "expires_at": Self.moment]),
            "Registration": registration,
            "ReattestationRequest": reattestationRequest,
            "SoftwareKey": Self.object([
                "algorithm": Self.choice(Device.KeyAlgorithm.allCases.map(\.rawValue)),
                "key": Self.base64("Ed25519: 32 bytes; P-256: 65 bytes, X9.63"),
                "challenge": Self.base64("the challenge that was signed"),
                "signature": Self.base64(
                    "over the text `capture-registration v1|` followed by the challenge's bytes as 64 hexadecimal digits "
                        + "of lower case; Ed25519: 64 bytes; P-256: ECDSA-SHA256, DER"),
            ]),
            "CheckedRegistration": checkedRegistration,
            "DeviceCheck": Self.object([
                "state": Self.choice(DeviceCheckState.Standing.allCases.map(\.rawValue)),
                "bit0": Self.orNull("boolean"), "bit1": Self.orNull("boolean"),
                "last_update": ["type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}$"],
                "reason": ["type": ["string", "null"], "description": "Why it is unknown."],
                "checked_at": Self.moment,
            ]),
            "Device": registeredDevice,
        ]
    }

    /// What a device says of itself.
    private static let claim: [String: JSONValue] = [
        "platform": ["const": "ios"],
        "model": model,
        "has_lidar": ["type": "boolean"],
    ]

    static let model: JSONValue = [
        "type": "string", "minLength": 1, "maxLength": .whole(Int64(RegistrationClaim.modelBytesMax)),
        "pattern": "^[ -~]+$", "description": "ASCII that can be printed.",
    ]

    private static let attestation = object([
        "key_id": base64("32 bytes: SHA-256 of the public key"),
        "attestation_object": base64("the attestation object, CBOR"),
        "challenge": base64("the challenge that was attested to"),
    ])

    private var registration: JSONValue {
        let evidence = ["attestation": Self.attestation, "public_key": Self.reference("SoftwareKey")]
        return Self.object(
            Self.claim.merging(evidence) { first, _ in first }, required: ["platform", "model", "has_lidar"]
        ).adding(["oneOf": [["required": ["attestation"]], ["required": ["public_key"]]]])
    }

    /// Takes no software key: it proves nothing of what a new attestation is asked for.
    private var reattestationRequest: JSONValue {
        Self.object(Self.claim.merging(["attestation": Self.attestation]) { first, _ in first })
    }

    private var checkedRegistration: JSONValue {
        let further: [String: JSONValue] = [
            "device_token": Self.base64("what DCDevice.generateToken gave"),
            "environment": Self.choice(KeyEnvironment.allCases.map(\.rawValue)),
            "public_key": Self.reference("SoftwareKey"),
        ]
        return Self.object(
            Self.claim.merging(further) { first, _ in first },
            required: ["platform", "model", "has_lidar", "device_token", "public_key"])
    }

    private var registeredDevice: JSONValue {
        Self.object(
            [
                "device_id": Self.uuid,
                "attestation_level": Self.choice(AttestationLevel.allCases.map(\.rawValue)),
                "reason": ["type": "string", "description": "Why the device is unverified."],
                "key_id": Self.digest,
                "environment": Self.choiceOrNull(KeyEnvironment.allCases.map(\.rawValue)),
                "app_id": Self.orNull("string"),
                "trust_root": [
                    "type": ["string", "null"], "description": "`<common name> sha256:<hexadecimal>`",
                ],
                "registered_at": Self.moment,
                "device_check": Self.reference("DeviceCheck"),
            ],
            required: [
                "device_id", "attestation_level", "key_id", "environment", "app_id", "trust_root", "registered_at",
            ])
    }
}
