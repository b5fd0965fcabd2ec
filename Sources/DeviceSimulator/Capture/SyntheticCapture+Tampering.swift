import CaptureModel

extension SyntheticCapture {
    /// The same capture with one bit of the picture changed, and its declared hash adapted.
    ///
    /// The file stays a well-formed JPEG: only a signature reveals the change.
    package func photoTampered() -> SyntheticCapture {
        var copy = self
        // A byte of the scan that is not 0xFF, does not follow one and does not become one: no marker is touched.
        for index in stride(from: photo.count * 3 / 4, to: photo.count - 2, by: 1)
        where photo[index] < 0xFE && photo[index] > 0 && photo[index - 1] != 0xFF {
            copy.photo[index] ^= 1
            break
        }
        copy.metadata = metadata.replacing(
            Array(SHA256Digest.hash(photo).hex.utf8), with: Array(SHA256Digest.hash(copy.photo).hex.utf8)
        )
        return copy
    }

    /// The same capture with a wall of the depth map moved by a few centimetres.
    package func depthMapTampered() -> SyntheticCapture {
        var copy = self
        // The third byte of a little-endian Float32 holds the high bits of its fraction.
        if copy.depthMap.count > 2 { copy.depthMap[2] ^= 0x04 }
        return copy
    }

    /// The same capture with metadata of the same meaning, but other bytes.
    package func metadataRewritten() -> SyntheticCapture {
        var copy = self
        copy.metadata.append(UInt8(ascii: "\n"))
        return copy
    }
}
