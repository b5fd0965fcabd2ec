import FoundationEssentials

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

    /// Reads bytes whose size and depth are checked before the decoder sees them.
    static func read(_ bytes: [UInt8], limits: MetadataLimits) throws(MetadataError) -> MetadataDocument {
        guard bytes.count <= limits.bytesMax else {
            throw MetadataError("metadata", "must have at most \(limits.bytesMax) bytes")
        }
        // So few brackets that they cannot lie too deep, wherever they are, are all that most captures have.
        guard bytes.count(where: isOpeningBracket) <= limits.depthMax || nestingDepth(bytes) <= limits.depthMax else {
            throw MetadataError("metadata", "must not be nested deeper than \(limits.depthMax)")
        }
        do {
            return try decoder.decode(MetadataDocument.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw MetadataError(error)
        } catch {
            throw MetadataError("metadata", "must be a JSON object")
        }
    }

    private static func isOpeningBracket(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    }

    /// How deep brackets lie in each other outside of strings; for text that is not JSON, some number.
    private static func nestingDepth(_ bytes: [UInt8]) -> Int {
        var (depth, deepest) = (0, 0)
        var (isInString, isEscaped) = (false, false)
        for byte in bytes {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case _ where isInString: break
            case _ where isOpeningBracket(byte):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return deepest
    }
}

extension MetadataError {
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
