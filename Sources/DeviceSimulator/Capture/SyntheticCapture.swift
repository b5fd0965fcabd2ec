package import CaptureModel

/// The recording of a phone with a LiDAR sensor, not yet signed.
///
/// ```swift
/// let capture = try SyntheticCapture(seed: 7, photoBytes: 1_500_000, capturedAt: now)
/// let signed = try CaptureSigner(device: phone, binding: .concatV1).sign(capture)
/// ```
///
/// The photo is a decodable JPEG of exactly the requested size, and the depth map shows the same room. The same seed
/// and size give the same bytes.
package struct SyntheticCapture: Sendable, Equatable {
    /// The possible photo sizes in bytes.
    package static var photoByteRange: ClosedRange<Int> { SyntheticPhoto.byteRange }

    /// The JPEG.
    package var photo: [UInt8]
    /// Float32 little-endian metres, 256×192: 196,608 bytes.
    package var depthMap: [UInt8]
    /// The statements about the capture, as the JSON text of the upload.
    package var metadata: [UInt8]

    /// Takes any parts, fitting or not.
    package init(photo: [UInt8], depthMap: [UInt8], metadata: [UInt8]) {
        self.photo = photo
        self.depthMap = depthMap
        self.metadata = metadata
    }

    /// Takes a picture of a room that the seed furnishes.
    /// - Parameters:
    ///   - photoBytes: The exact size of the JPEG, within ``photoByteRange``.
    ///   - binding: The binding that the metadata name; none by default.
    package init(
        seed: UInt64, photoBytes: Int, capturedAt: Timestamp, deviceModel: String = "iPhone17,1",
        binding: Binding? = nil
    ) throws(SimulatorError) {
        var generator = SeededGenerator(seed: seed)
        let scene = SyntheticScene(using: &generator)
        photo = try SyntheticPhoto.render(scene, bytes: photoBytes, model: deviceModel, using: &generator)
        depthMap = SyntheticDepthMap.render(scene, using: &generator)
        // Somewhere at sea: nobody's home.
        let place = SyntheticMetadata.Location(
            latitude: Double(generator.between(-40, -30)), longitude: Double(generator.between(-130, -110))
        )
        metadata = try SyntheticMetadata(
            capturedAt: capturedAt, deviceModel: deviceModel,
            depthMapDimensions: .init(width: SyntheticDepthMap.width, height: SyntheticDepthMap.height),
            photoHash: .hash(photo), location: place, binding: binding
        ).json
    }
}
