import CaptureInspection
import CaptureModel

extension OpenAPISchemas {
    /// What devices upload, and what they are answered.
    var uploads: [String: JSONValue] {
        let side: JSONValue = ["type": "integer", "minimum": 1, "maximum": .whole(Int64(DepthDimensions.sideMax))]
        let limits = configuration.inspection.metadata
        return [
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
                            """
                            CBOR, or base64 of it, at most \(configuration.assertionBytesMax) bytes: an App Attest \
                            assertion whose clientDataHash is as `binding` of the metadata says. A software key signs \
                            alike: a map of `signature` and `authenticatorData` (SHA-256 of the app id, a byte of flags, \
                            a counter of four bytes, high byte first). The signature is over the nonce, \
                            SHA-256(authenticatorData ‖ clientDataHash): P-256 by ECDSA over SHA-256 of it, DER, \
                            Ed25519 over the 32 bytes themselves. Counters rise from one capture to the next.
                            """)
                    ],
                    "metadata": Self.reference("Metadata"),
                ]),
            "Metadata": Self.object(
                [
                    "captured_at": Self.moment,
                    "device_model": [
                        "type": "string", "minLength": 1, "maxLength": .whole(Int64(limits.modelBytesMax)),
                        "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F]+$",
                        "description": .string(
                            "At most \(limits.modelBytesMax) bytes in UTF-8, without control characters."),
                    ],
                    "depth_map_dimensions": Self.object(["width": side, "height": side]).adding([
                        "description": .string(
                            "Values in a line, and lines: together at most \(limits.depthValuesMax) values.")
                    ]),
                    "photo_hash": [
                        "type": "string", "pattern": "^([0-9A-Fa-f]{64}|[0-9A-Za-z+/_-]{43}=?)$",
                        "description": "SHA-256 of the photo: 64 hexadecimal digits, or base64 of either alphabet.",
                    ],
                    "location": [
                        "description": .string(
                            "Anything; it is kept with the metadata as sent and not read. "
                                + "Only the device, tokens for evidence and operators get to see it.")
                    ],
                    "binding": Self.choice(Binding.allCases.map(\.rawValue)).adding([
                        "default": "concat-v1",
                        "description": """
                        What the assertion's clientDataHash is: `concat-v1` SHA-256(photo ‖ depth map), over the bytes as \
                        uploaded; `framed-v2` SHA-256 over the ASCII text `capture-v2\\n<hex sha256(photo)>\\n<hex \
                        sha256(depth map)>\\n<hex sha256(metadata)>`, in lower-case hexadecimal digits.
                        """,
                    ]),
                ], required: ["captured_at", "device_model", "depth_map_dimensions"]),
            "Acceptance": Self.object([
                "capture_id": Self.uuid, "status": Self.reference("CaptureState"), "duplicate": ["type": "boolean"],
            ]),
        ]
    }
}
