package import CaptureModel

/// The app's statements about a capture, checked field by field.
///
/// ```json
/// {"captured_at": "2026-03-14T09:26:53.589Z", "device_model": "iPhone 17 Pro",
///  "depth_map_dimensions": {"width": 256, "height": 192}, "photo_hash": "9f86…", "binding": "framed-v2"}
/// ```
///
/// A location is never read: precise places are not passed on.
package struct CaptureMetadata: Sendable, Equatable {
    /// When the app says that the photo was taken.
    package let capturedAt: Timestamp
    /// The hardware model that the app names.
    package let deviceModel: String
    /// How many values the depth map has.
    package let depthDimensions: DepthDimensions
    /// SHA-256 of the photo as the app declares it.
    package let photoHash: SHA256Digest?
    /// How the app says that the signature binds the bytes.
    ///
    /// `nil` stands for ``Binding/unnamed``.
    package let binding: Binding?

    /// Reads the JSON of the `metadata` part.
    ///
    /// Unknown members are ignored: newer apps may send more.
    ///
    /// - Throws: The first field that is missing, of another type or out of its range.
    package static func parse(
        _ bytes: [UInt8], limits: MetadataLimits = MetadataLimits()
    ) throws(MetadataError) -> CaptureMetadata {
        let document = try MetadataDocument.read(bytes, limits: limits)
        guard let capturedAt = Timestamp(rfc3339: document.capturedAt) else {
            throw MetadataError(
                "captured_at",
                "must be an RFC 3339 date and time of at most \(Timestamp.rfc3339BytesMax) bytes, with no leap second")
        }
        guard !document.deviceModel.isEmpty, document.deviceModel.utf8.count <= limits.modelBytesMax,
            !document.deviceModel.unicodeScalars.contains(where: isControl)
        else {
            throw MetadataError(
                "device_model", "must be a text of 1 to \(limits.modelBytesMax) bytes without control characters")
        }
        let declared = document.depthMapDimensions
        guard let width = Int(exactly: declared.width), let height = Int(exactly: declared.height),
            let dimensions = DepthDimensions(width: width, height: height),
            dimensions.values <= limits.depthValuesMax
        else {
            throw MetadataError(
                "depth_map_dimensions",
                "must be whole numbers of 1 to \(DepthDimensions.sideMax), at most \(limits.depthValuesMax) values"
            )
        }
        var photoHash: SHA256Digest?
        if let text = document.photoHash {
            guard let digest = digest(text) else {
                throw MetadataError("photo_hash", "must be a SHA-256 in hexadecimal or base64")
            }
            photoHash = digest
        }
        var binding: Binding?
        if let text = document.binding {
            guard let known = Binding(word: text) else {
                throw MetadataError(
                    "binding", "must be one of \(Binding.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            binding = known
        }
        return CaptureMetadata(
            capturedAt: capturedAt, deviceModel: document.deviceModel, depthDimensions: dimensions,
            photoHash: photoHash, binding: binding
        )
    }

    /// Whether a character is a control character of Unicode (category Cc, which never changes).
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
    }

    /// Reads a digest as 64 hexadecimal digits or as base64 of 32 bytes, with either alphabet.
    private static func digest(_ text: String) -> SHA256Digest? {
        if let digest = SHA256Digest(hex: text) { return digest }
        return Base64Digest.decode(text).flatMap { SHA256Digest(bytes: $0) }
    }
}
