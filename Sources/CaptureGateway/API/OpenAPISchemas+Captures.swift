import CaptureModel

extension OpenAPISchemas {
    /// Uploads, statuses and results.
    var captures: [String: JSONTree] {
        [
            "Upload": Self.object(
                [
                    "photo": ["description": .string("JPEG, at most \(configuration.photoBytesMax) bytes.")],
                    "depth_map": [
                        "description": .string(
                            "Float32, little-endian, metres; raw, gzip, zlib or raw deflate; at most "
                                + "\(configuration.depthBytesMax) bytes.")
                    ],
                    "assertion": [
                        "description": .string(
                            "CBOR, or base64 of it, at most \(configuration.assertionBytesMax) bytes.")
                    ],
                    "metadata": Self.reference("Metadata"),
                ]),
            "Metadata": Self.object(
                [
                    "captured_at": Self.moment,
                    "device_model": Self.text,
                    "depth_map_dimensions": Self.object([
                        "width": ["type": "integer", "minimum": 1], "height": ["type": "integer", "minimum": 1],
                    ]),
                    "photo_hash": ["type": "string", "description": "SHA-256 of the photo."],
                    "location": ["type": "object"],
                ], required: ["captured_at", "device_model", "depth_map_dimensions"]),
            "Acceptance": Self.object(
                ["capture_id": Self.uuid, "status": Self.reference("CaptureState")]),
            "CaptureStatus": captureStatus,
            "StatusRequest": Self.object([
                "capture_ids": [
                    "type": "array", "items": Self.uuid, "maxItems": .integer(configuration.statusIDsMax),
                ]
            ]),
            "CaptureStatuses": Self.object([
                "captures": ["type": "array", "items": Self.reference("CaptureStatus")]
            ]),
            "Check": Self.object(
                [
                    "name": Self.choice(Check.Name.allCases.map(\.rawValue)),
                    "outcome": Self.choice(Check.Outcome.allCases.map(\.rawValue)),
                    "reason": ["anyOf": [Self.reference("Reason"), ["type": "null"]]],
                ], required: ["name", "outcome"]),
            "Provenance": provenance,
        ]
    }

    private var captureStatus: JSONTree {
        Self.object(
            [
                "capture_id": Self.uuid,
                "status": Self.reference("CaptureState"),
                "reason": ["anyOf": [Self.reference("Reason"), ["type": "null"]]],
                "confidence": Self.orNull("string"),
                "attempts": Self.orNull("integer"),
                "timings": Self.object(
                    [
                        "queue_ms": Self.orNull("number"), "verify_ms": Self.orNull("number"),
                        "settle_ms": Self.orNull("number"),
                    ], required: []),
            ], required: ["capture_id", "status"])
    }

    private var provenance: JSONTree {
        Self.object(
            [
                "capture_id": Self.uuid,
                "device_id": Self.uuid,
                "attestation_level": Self.choice(AttestationLevel.allCases.map(\.rawValue)),
                "verdict": Self.choice(Verdict.allCases.map(\.rawValue)),
                "confidence": Self.choice(Confidence.allCases.map(\.rawValue)),
                "checks": ["type": "array", "items": Self.reference("Check")],
            ], required: ["capture_id", "verdict", "confidence", "checks"])
    }
}
