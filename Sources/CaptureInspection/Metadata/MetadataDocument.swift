import FoundationEssentials
import StrictJSON

/// The metadata's JSON with the right types and nothing else checked.
struct MetadataDocument: Decodable {
    struct Dimensions: Decodable {
        /// As JSON has numbers; whether they are whole is the caller's to check, so that the error can name the field.
        let width: Double
        let height: Double
    }

    let capturedAt: String
    let deviceModel: String
    let depthMapDimensions: Dimensions
    let photoHash: String?
    let binding: String?
    let hasLocation: Bool

    private enum CodingKeys: String, CodingKey {
        case capturedAt = "captured_at"
        case deviceModel = "device_model"
        case depthMapDimensions = "depth_map_dimensions"
        case photoHash = "photo_hash"
        case binding
        case location
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        capturedAt = try container.decode(String.self, forKey: .capturedAt)
        deviceModel = try container.decode(String.self, forKey: .deviceModel)
        depthMapDimensions = try container.decode(Dimensions.self, forKey: .depthMapDimensions)
        photoHash = try container.decodeIfPresent(String.self, forKey: .photoHash)
        binding = try container.decodeIfPresent(String.self, forKey: .binding)
        hasLocation = try container.contains(.location) && !container.decodeNil(forKey: .location)
    }

    /// One for all: to make one costs a quarter of what it takes to read a capture's metadata.
    private static let decoder = JSONDecoder()

    /// Reads bytes that are small, flat and strict JSON before the decoder sees them.
    ///
    /// The decoder takes more for JSON than others do, and of equal members the first: a signature would be over one
    /// text that says two things.
    static func read(_ bytes: [UInt8], limits: MetadataLimits) throws(MetadataError) -> MetadataDocument {
        guard bytes.count <= limits.bytesMax else {
            throw MetadataError("metadata", "must have at most \(limits.bytesMax) bytes")
        }
        do throws(JSONFault) {
            try JSONWalk.members(of: bytes, depthMax: limits.depthMax)
        } catch {
            throw MetadataError(error, limits)
        }
        do {
            return try decoder.decode(MetadataDocument.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw MetadataError(error)
        } catch {
            throw MetadataError("metadata", "must be a JSON object")
        }
    }
}

extension MetadataError {
    fileprivate init(_ fault: JSONFault, _ limits: MetadataLimits) {
        switch fault {
        case .notUTF8, .malformed: self.init("metadata", "must be JSON (RFC 8259) in UTF-8")
        case .tooDeep: self.init("metadata", "must not be nested deeper than \(limits.depthMax)")
        case .nameTooLong:
            self.init("metadata", "must not have a member's name of more than \(JSONWalk.nameBytesMax) bytes")
        case .textTooLong: self.init("metadata", "must not have a text that is too long")
        case .memberTwice: self.init("metadata", "must not have a member twice")
        }
    }

    /// Names the field at which decoding stopped; the decoder's own words stay behind, they may hold the value.
    fileprivate init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(Self.path(context.codingPath + [key]), "is missing")
        case .valueNotFound(_, let context):
            self.init(Self.path(context.codingPath), "must not be null")
        case .typeMismatch(_, let context):
            self.init(Self.path(context.codingPath), "is of another type")
        case .dataCorrupted(let context):
            self.init(Self.path(context.codingPath), context.codingPath.isEmpty ? "must be JSON" : "is out of range")
        @unknown default:
            self.init("metadata", "must be a JSON object")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "metadata" : keys.map(\.stringValue).joined(separator: ".")
    }
}
