import CaptureModel
import DeviceSimulator
import Foundation

/// Pictures that phones share, so that a run's time goes into the system and not into drawing.
///
/// Each sending has metadata and an assertion of its own, so no two bundles are the same.
struct Album: Sendable {
    struct Picture: Sendable {
        let capture: SyntheticCapture
        let dimensions: SyntheticMetadata.Dimensions
    }

    private let pictures: [Picture]

    /// Draws pictures whose sizes are log-normal: half of them below 40 KB, few near the limit.
    init(seed: UInt64, count: Int = 24) throws {
        var generator = SeededGenerator(seed: seed).derived(2)
        pictures = try (0..<count).map { index in
            let bytes = Self.medianBytes * exp(Self.spread * Self.normal(using: &generator))
            let size = min(max(Int(bytes), SyntheticCapture.photoByteRange.lowerBound), Self.bytesMax)
            var capture = try SyntheticCapture(
                seed: generator.next(), photoBytes: size, capturedAt: Timestamp.systemTime()
            )
            // One in eight keeps its full depth map; the others' is as small as one may be.
            guard index % 8 != 0 else { return Picture(capture: capture, dimensions: .init(width: 256, height: 192)) }
            capture.depthMap = (1...4).flatMap {
                withUnsafeBytes(of: Float($0).bitPattern.littleEndian, Array.init)
            }
            return Picture(capture: capture, dimensions: .init(width: 2, height: 2))
        }
    }

    private static let medianBytes = 40_000.0
    private static let spread = 1.1
    private static let bytesMax = 1_000_000

    /// A picture, taken now.
    func take(using generator: inout SeededGenerator) throws -> SyntheticCapture {
        guard let picture = pictures.randomElement(using: &generator) else {
            throw SimulatorError(.capture, "the album is empty")
        }
        var capture = picture.capture
        capture.metadata = try SyntheticMetadata(
            capturedAt: Timestamp.systemTime(), deviceModel: "iPhone17,1", depthMapDimensions: picture.dimensions,
            photoHash: .hash(capture.photo), location: nil
        ).json
        return capture
    }

    /// A number of the standard normal distribution (Box and Muller 1958).
    private static func normal(using generator: inout SeededGenerator) -> Double {
        let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &generator))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
    }
}
