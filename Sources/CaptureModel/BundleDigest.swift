/// Names one signed bundle, whoever sends it and however often.
///
/// It covers the media as well as the assertion: otherwise whoever sends a signed assertion with other bytes first
/// takes the genuine capture's place.
public enum BundleDigest {
    /// SHA-256 over the ASCII text `capture-bundle-v1`, then the device id and the hexadecimal SHA-256 of assertion,
    /// photo, depth and metadata, each after a line feed.
    public static func compute(
        device: DeviceID, assertion: SHA256Digest, photo: SHA256Digest, depth: SHA256Digest, metadata: SHA256Digest
    ) -> SHA256Digest {
        .hash(
            Array(
                "capture-bundle-v1\n\(device)\n\(assertion.hex)\n\(photo.hex)\n\(depth.hex)\n\(metadata.hex)".utf8
            )
        )
    }

    /// What the queue knows a bundle by whose own digest leads to another's capture: of the same two always the same.
    public static func beside(_ other: CaptureID, of digest: SHA256Digest) -> SHA256Digest {
        .hash(Array("capture-bundle-v1-beside\n\(digest.hex)\n\(other)".utf8))
    }
}
