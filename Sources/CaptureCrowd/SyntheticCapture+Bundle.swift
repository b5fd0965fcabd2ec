package import CaptureModel
package import DeviceSimulator

extension SyntheticCapture {
    /// The size of the smallest bundle: the smallest photo and a depth map of four pixels.
    package static var bundleBytesMin: Int { photoByteRange.lowerBound + smallDepthMap.count }

    /// A depth map of 2 × 2 pixels.
    private static let smallDepthMap: [UInt8] = (1...4).flatMap {
        withUnsafeBytes(of: Float($0).bitPattern.littleEndian, Array.init)
    }

    /// A capture whose photo and depth map have `bytes` bytes together, at least ``bundleBytesMin``.
    ///
    /// Up to half a megabyte the depth map has four pixels, as a full one would be most of the bundle.
    package static func bundle(
        bytes: Int, seed: UInt64, capturedAt: Timestamp
    ) throws(SimulatorError) -> SyntheticCapture {
        guard bytes < 500_000 else {
            let depthBytes = 256 * 192 * 4
            return try SyntheticCapture(seed: seed, photoBytes: bytes - depthBytes, capturedAt: capturedAt)
        }
        var capture = try SyntheticCapture(
            seed: seed, photoBytes: bytes - smallDepthMap.count, capturedAt: capturedAt)
        capture.depthMap = smallDepthMap
        capture.metadata = try SyntheticMetadata(
            capturedAt: capturedAt, deviceModel: "iPhone17,1", depthMapDimensions: .init(width: 2, height: 2),
            photoHash: .hash(capture.photo), location: nil
        ).json
        return capture
    }
}
