import CaptureModel

extension OpenAPISchemas {
    /// Enrolments.
    var enrolment: [String: JSONValue] {
        [
            "EnrolmentStartRequest": Self.object([
                "invitation_code": Self.text, "device_id": Self.uuid, "device_type": ["const": "ios"],
            ]),
            "EnrolmentStart": enrolmentStart,
            "TransactionKey": Self.object([
                "key_id": Self.uuid, "public_key": Self.base64("32 bytes"), "algorithm": ["const": "X25519"],
            ]),
            "EnrolmentAttestationRequest": enrolmentAttestationRequest,
            "EnrolmentAttestation": Self.object([
                "status": ["const": "attestation_verified"], "device_type": ["const": "ios"],
                "security_level": ["const": "secure_enclave"], "next_step": Self.step(.password),
                "password_key_id": Self.uuid,
            ]),
            "EnrolmentPasswordRequest": Self.object([
                "enrollment_session_id": Self.uuid,
                "encrypted_password_hash": Self.base64("X25519 public key of the device, ciphertext, tag"),
                "key_id": Self.uuid, "nonce": Self.base64("12 bytes"),
            ]),
            "EnrolmentPassword": Self.object([
                "status": ["const": "password_set"], "next_step": Self.step(.finalize),
            ]),
            "EnrolmentFinalizeRequest": Self.object(
                ["enrollment_session_id": Self.uuid, "key_id": Self.uuid], required: ["enrollment_session_id"]),
            "EnrolmentFinalize": enrolmentFinalize,
        ]
    }

    private var enrolmentStart: JSONValue {
        Self.object([
            "enrollment_session_id": Self.uuid, "user_guid": Self.uuid,
            "attestation_challenge": Self.base64("32 bytes; the clientDataHash to attest is their SHA-256"),
            "attestation_endpoint": Self.text,
            "transaction_keys": ["type": "array", "items": Self.reference("TransactionKey")],
            "next_step": Self.step(.attestation),
        ])
    }

    private var enrolmentAttestationRequest: JSONValue {
        Self.object(
            [
                "enrollment_session_id": Self.uuid,
                "attestation_object": Self.base64("the attestation object, CBOR"),
                "key_id": Self.base64("32 bytes: SHA-256 of the public key"),
                "model": Self.model.adding(["default": .string(Device.modelUnknown)]),
                "has_lidar": ["type": "boolean", "default": true],
            ], required: ["enrollment_session_id", "attestation_object", "key_id"])
    }

    private var enrolmentFinalize: JSONValue {
        Self.object([
            "status": ["const": "enrolled"],
            "credential_package": Self.object([
                "user_guid": Self.uuid, "device_id": Self.uuid,
                "credential": Self.object([
                    "key_id": Self.uuid, "nonce": Self.base64("12 bytes"),
                    "ciphertext": Self.base64("ciphertext and tag"),
                ]),
                "token": Self.digest,
                "transaction_keys": ["type": "array", "items": Self.reference("TransactionKey")],
            ]),
        ])
    }

    private static func step(_ step: EnrolmentStep) -> JSONValue { ["const": .string(step.nameAsNext)] }
}
