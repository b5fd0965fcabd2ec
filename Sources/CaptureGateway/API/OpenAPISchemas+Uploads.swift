import CaptureModel

extension OpenAPISchemas {
    /// What devices upload, and what they are answered.
    var uploads: [String: JSONTree] {
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
                    "binding": Self.choice(Binding.allCases.map(\.rawValue)),
                ], required: ["captured_at", "device_model", "depth_map_dimensions"]),
            "Acceptance": Self.object([
                "capture_id": Self.uuid, "status": Self.reference("CaptureState"), "duplicate": ["type": "boolean"],
            ]),
        ]
    }
}
