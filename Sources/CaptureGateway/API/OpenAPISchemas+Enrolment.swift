import CaptureModel
import Enrolment

extension OpenAPISchemas {
    /// Enrolments.
    var enrolment: [String: JSONValue] {
        [
            "EnrolmentStartRequest": Self.object([
                "invitation_code": Self.text, "device_id": Self.uuid, "device_type": Self.platform,
            ]),
            "EnrolmentStart": enrolmentStart,
            "TransactionKey": Self.object([
                "key_id": Self.uuid, "public_key": Self.base64("\(TransactionChannel.keyBytes) bytes"),
                "algorithm": Self.only(TransactionKeyDocument.algorithm),
            ]),
            "EnrolmentAttestationRequest": enrolmentAttestationRequest,
            "EnrolmentAttestation": Self.object([
                "status": Self.only(EnrolmentAttestationAnswer.status), "device_type": Self.platform,
                "security_level": Self.only(AttestationLevel.secureEnclave.rawValue),
                "next_step": Self.step(.password),
                "password_key_id": Self.uuid,
            ]),
            "EnrolmentPasswordRequest": Self.object([
                "enrollment_session_id": Self.uuid,
                "encrypted_password_hash": Self.base64(
                    "\(TransactionKeyDocument.algorithm) public key of the device, ciphertext, tag"),
                "key_id": Self.uuid, "nonce": Self.nonce,
            ]),
            "EnrolmentPassword": Self.object([
                "status": Self.only(EnrolmentState.passwordSet.rawValue), "next_step": Self.step(.finalize),
            ]),
            "EnrolmentFinalizeRequest": Self.object(
                ["enrollment_session_id": Self.uuid, "key_id": Self.uuid], required: ["enrollment_session_id"]),
            "EnrolmentFinalize": enrolmentFinalize,
        ]
    }

    private var enrolmentStart: JSONValue {
        Self.object([
            "enrollment_session_id": Self.uuid, "user_guid": Self.uuid,
            "attestation_challenge": Self.base64(
                "\(RegistrationClaim.challengeBytes) bytes; the clientDataHash to attest is their SHA-256"),
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
                "has_lidar": Self.flag.adding(["default": true]),
            ], required: ["enrollment_session_id", "attestation_object", "key_id"])
    }

    private var enrolmentFinalize: JSONValue {
        Self.object([
            "status": Self.only(EnrolmentState.enrolled.rawValue),
            "credential_package": Self.object([
                "user_guid": Self.uuid, "device_id": Self.uuid,
                "credential": Self.object([
                    "key_id": Self.uuid, "nonce": Self.nonce,
                    "ciphertext": Self.base64("ciphertext and tag"),
                ]),
                "token": Self.digest,
                "transaction_keys": ["type": "array", "items": Self.reference("TransactionKey")],
            ]),
        ])
    }

    private static let nonce = base64("\(TransactionChannel.nonceBytes) bytes")

    private static func step(_ step: EnrolmentStep) -> JSONValue { only(step.nameAsNext) }
}
