package import CaptureModel
import FoundationEssentials

/// The metadata part of an upload.
package struct SyntheticMetadata: Sendable, Equatable, Encodable {
    /// Columns and rows of a depth map.
    package struct Dimensions: Sendable, Equatable, Encodable {
        /// Columns.
        package var width: Int
        /// Rows.
        package var height: Int

        /// Memberwise.
        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The phone's place according to the phone, in degrees (WGS 84).
    package struct Location: Sendable, Equatable, Encodable {
        /// Degrees north.
        package var latitude: Double
        /// Degrees east.
        package var longitude: Double
    }

    /// When the photo was taken, RFC 3339.
    package var capturedAt: String
    /// The phone's model.
    package var deviceModel: String
    /// Size of the depth map in pixels.
    package var depthMapDimensions: Dimensions
    /// Lower-case hexadecimal SHA-256 of the photo, if declared.
    package var photoHash: String?
    /// The place of the photo, if declared.
    package var location: Location?
    /// The binding of the assertion; without it a gateway assumes its default.
    package var binding: String?

    /// Writes the values as the app does.
    package init(
        capturedAt: Timestamp, deviceModel: String, depthMapDimensions: Dimensions, photoHash: SHA256Digest?,
        location: Location?, binding: Binding? = nil
    ) {
        self.capturedAt = capturedAt.rfc3339
        self.deviceModel = deviceModel
        self.depthMapDimensions = depthMapDimensions
        self.photoHash = photoHash?.hex
        self.location = location
        self.binding = binding?.rawValue
    }

    private enum CodingKeys: String, CodingKey {
        case capturedAt = "captured_at"
        case deviceModel = "device_model"
        case depthMapDimensions = "depth_map_dimensions"
        case photoHash = "photo_hash"
        case location, binding
    }

    /// The JSON text as it is uploaded; the same members always give the same bytes.
    package var json: [UInt8] {
        get throws(SimulatorError) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            do {
                return Array(try encoder.encode(self))
            } catch {
                throw SimulatorError(.capture, "the metadata cannot be written as JSON")
            }
        }
    }
}
