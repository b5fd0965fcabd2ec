import CaptureInspection
import CaptureModel

extension OpenAPISchemas {
    /// What devices upload, and what they are answered.
    var uploads: [String: JSONValue] {
        [
            "Upload": Self.object(
                Dictionary(uniqueKeysWithValues: BundlePart.allCases.map { ($0.rawValue, schema(of: $0)) })),
            "Metadata": metadata,
            "Acceptance": Self.object([
                "capture_id": Self.uuid, "status": Self.reference("CaptureState"), "duplicate": Self.flag,
            ]),
        ]
    }

    private func schema(of part: BundlePart) -> JSONValue {
        let bytesMax = part.bytesMax(configuration.uploads)
        return switch part {
        case .photo: Self.bytes("JPEG, at most \(bytesMax) bytes.")
        case .depthMap:
            Self.bytes(
                """
                Float32, little-endian, metres; raw, gzip (one member), zlib or raw deflate; at most \(bytesMax) bytes.
                """)
        case .assertion:
            Self.bytes(
                """
                CBOR, or base64 of it (RFC 4648 section 4, with its padding, in one line), at most \(bytesMax) bytes: \
                an App Attest assertion whose clientDataHash is as `binding` of the metadata says. A software key signs \
                alike: a map of `signature` and `authenticatorData` (SHA-256 of the app id, a byte of flags, a counter \
                of four bytes, high byte first). The signature is over the nonce, \
                SHA-256(authenticatorData ‖ clientDataHash): P-256 by ECDSA over SHA-256 of it, DER, Ed25519 over the 32 \
                bytes themselves. Counters rise from one capture to the next; the first is 1 or more.
                """)
        case .metadata:
            Self.bytes(
                """
                `Metadata` as JSON, at most \(bytesMax) bytes: the very bytes that were signed. The same values written \
                anew are other bytes, for which a signature by `\(Binding.framedV2.rawValue)` is not valid.
                """
            ).adding([
                "contentMediaType": .string(MediaType.json.rawValue), "contentSchema": Self.reference("Metadata"),
            ])
        }
    }

    private var metadata: JSONValue {
        let side: JSONValue = ["type": "integer", "minimum": 1, "maximum": .whole(Int64(DepthDimensions.sideMax))]
        let limits = configuration.uploads.inspection.metadata
        return Self.object(
            [
                "captured_at": Self.moment.adding(["maxLength": .whole(Int64(Timestamp.rfc3339BytesMax))]).described(
                    "As in RFC 3339, without a leap second (`:60`)."),
                "device_model": [
                    "type": "string", "minLength": 1, "maxLength": .whole(Int64(limits.modelBytesMax)),
                    "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F]+$",
                    "description": .string(
                        "At most \(limits.modelBytesMax) bytes in UTF-8, without control characters."),
                ],
                "depth_map_dimensions": Self.object(["width": side, "height": side]).described(
                    "Values in a line, and lines: together at most \(limits.depthValuesMax) values."),
                "photo_hash": [
                    "type": "string", "pattern": "^([0-9A-Fa-f]{64}|[0-9A-Za-z+/_-]{43}=?)$",
                    "description": "SHA-256 of the photo: 64 hexadecimal digits, or base64 of either alphabet.",
                ],
                "location": Self.anything.described(
                    "Anything; it is kept with the metadata as sent and not read. "
                        + "Only the device, tokens for evidence and operators get to see it."),
                "binding": binding,
            ], required: ["captured_at", "device_model", "depth_map_dimensions"])
    }

    private var binding: JSONValue {
        let framed = Binding.framedV2Text(
            photo: "<hex sha256(photo)>", depth: "<hex sha256(depth map)>", metadata: "<hex sha256(metadata)>")
        // No `default`: generators of clients write it into the metadata, as something that the device did not sign.
        return Self.choice(of: Binding.self).described(
            """
            What the assertion's clientDataHash is: `\(Binding.concatV1.rawValue)` SHA-256(photo ‖ depth map), over \
            the bytes as uploaded; `\(Binding.framedV2.rawValue)` SHA-256 over the ASCII text \
            `\(framed.replacing("\n", with: "\\n"))`, in lower-case hexadecimal digits. Metadata that name none are of \
            `\(Binding.unnamed.rawValue)`.
            """)
    }
}
