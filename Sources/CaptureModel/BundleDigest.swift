/// Names one signed bundle, whoever sends it and however often.
///
/// It covers the media as well as the assertion. Otherwise somebody could send a signed assertion with other bytes
/// first and take the genuine capture's place.
package enum BundleDigest {
    /// SHA-256 over the ASCII text `capture-bundle-v1`, then the device id and the hexadecimal SHA-256 of assertion,
    /// photo, depth and metadata, each after a line feed.
    package static func compute(
        device: DeviceID, assertion: SHA256Digest, photo: SHA256Digest, depth: SHA256Digest, metadata: SHA256Digest
    ) -> SHA256Digest {
        .hash(
            Array(
                "capture-bundle-v1\n\(device)\n\(assertion.hex)\n\(photo.hex)\n\(depth.hex)\n\(metadata.hex)".utf8
            )
        )
    }

    /// The digest under which the queue keeps a bundle whose own digest already leads to another capture.
    ///
    /// The same pair always gives the same digest.
    package static func beside(_ other: CaptureID, of digest: SHA256Digest) -> SHA256Digest {
        .hash(Array("capture-bundle-v1-beside\n\(digest.hex)\n\(other)".utf8))
    }
}
