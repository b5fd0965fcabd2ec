import CaptureModel

extension OpenAPISchemas {
    /// Challenges and registrations.
    var devices: [String: JSONValue] {
        [
            "Challenge": Self.object([
                "challenge": Self.base64("\(RegistrationClaim.challengeBytes) bytes"), "expires_at": Self.moment,
            ]),
            "Registration": registration,
            "ReattestationRequest": reattestationRequest,
            "SoftwareKey": softwareKey,
            "CheckedRegistration": checkedRegistration,
            "DeviceCheck": Self.object([
                "state": Self.choice(of: DeviceCheckState.Standing.self),
                "bit0": Self.orNull("boolean"), "bit1": Self.orNull("boolean"),
                "last_update": ["type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}$"],
                "reason": Self.orNull("string").described("Why it is unknown."),
                "checked_at": Self.moment,
            ]),
            "Device": registeredDevice,
        ]
    }

    /// What a device says of itself.
    private static let claim: [String: JSONValue] = [
        "platform": Self.platform,
        "model": model,
        "has_lidar": Self.flag,
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

    private var softwareKey: JSONValue {
        let (ed25519, p256) = (RegistrationClaim.sizes(of: .ed25519), RegistrationClaim.sizes(of: .p256))
        return Self.object([
            "algorithm": Self.choice(of: Device.KeyAlgorithm.self),
            "key": Self.base64(
                "Ed25519: \(ed25519.key.upperBound) bytes; P-256: \(p256.key.upperBound) bytes, X9.63"),
            "challenge": Self.base64("the challenge that was signed"),
            "signature": Self.base64(
                "over the text `\(RegistrationMessage.purpose)` followed by the challenge's bytes as "
                    + "\(2 * RegistrationClaim.challengeBytes) hexadecimal digits of lower case; "
                    + "Ed25519: \(ed25519.signature.upperBound) bytes; P-256: ECDSA-SHA256, DER"),
        ])
    }

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
            "environment": Self.choice(of: KeyEnvironment.self),
            "public_key": Self.reference("SoftwareKey"),
        ]
        return Self.object(
            Self.claim.merging(further) { first, _ in first },
            required: ["platform", "model", "has_lidar", "device_token", "public_key"]
        ).adding(["additionalProperties": false])
    }

    private var registeredDevice: JSONValue {
        Self.object(
            [
                "device_id": Self.uuid,
                "attestation_level": Self.choice(of: AttestationLevel.self),
                "reason": Self.text.described("Why the device is unverified."),
                "key_id": Self.digest,
                "environment": Self.choiceOrNull(of: KeyEnvironment.self),
                "app_id": Self.orNull("string"),
                "trust_root": Self.orNull("string").described("`<common name> sha256:<hexadecimal>`"),
                "registered_at": Self.moment,
                "device_check": Self.reference("DeviceCheck"),
            ],
            required: [
                "device_id", "attestation_level", "key_id", "environment", "app_id", "trust_root", "registered_at",
            ])
    }
}
