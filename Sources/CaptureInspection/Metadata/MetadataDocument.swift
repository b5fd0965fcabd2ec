import StrictJSON

/// The metadata's JSON with the right types and nothing else checked.
struct MetadataDocument {
    let capturedAt: String
    let deviceModel: String
    /// As numbers of JSON; the caller checks that they are whole, so that the error can name the field.
    let depthMapDimensions: (width: Double, height: Double)
    let photoHash: String?
    let binding: String?

    /// Reads bytes that are small, flat and strict JSON.
    static func read(_ bytes: [UInt8], limits: MetadataLimits) throws(MetadataError) -> MetadataDocument {
        guard bytes.count <= limits.bytesMax else {
            throw MetadataError("metadata", "must have at most \(limits.bytesMax) bytes")
        }
        let object: JSONObject?
        do throws(JSONFault) {
            object = try JSONObject(reading: bytes, depthMax: limits.depthMax)
        } catch {
            throw MetadataError(error, limits)
        }
        guard let object else { throw MetadataError("metadata", "must be a JSON object") }
        return try MetadataDocument(object)
    }

    private init(_ object: JSONObject) throws(MetadataError) {
        capturedAt = try Self.member("captured_at", object.text)
        deviceModel = try Self.member("device_model", object.text)
        let dimensions = try Self.member("depth_map_dimensions", object.object)
        depthMapDimensions = (
            try Self.member("width", of: "depth_map_dimensions.", dimensions.number),
            try Self.member("height", of: "depth_map_dimensions.", dimensions.number)
        )
        photoHash = object.has("photo_hash") ? try Self.member("photo_hash", object.text) : nil
        binding = object.has("binding") ? try Self.member("binding", object.text) : nil
    }

    private static func member<Value>(
        _ name: String, of parent: String = "", _ read: (String) throws(JSONMemberFault) -> Value
    ) throws(MetadataError) -> Value {
        do throws(JSONMemberFault) {
            return try read(name)
        } catch {
            throw MetadataError("\(parent)\(name)", "\(error)")
        }
    }
}

extension MetadataError {
    fileprivate init(_ fault: JSONFault, _ limits: MetadataLimits) {
        switch fault {
        case .notUTF8, .malformed: self.init("metadata", "must be JSON (RFC 8259) in UTF-8")
        case .halfPair: self.init("metadata", "must not have a text with half a surrogate pair")
        case .numberTooLarge: self.init("metadata", "must not have a number too large")
        case .tooDeep: self.init("metadata", "must not be nested deeper than \(limits.depthMax)")
        case .nameTooLong:
            self.init("metadata", "must not have a member's name of more than \(JSONWalk.nameBytesMax) bytes")
        case .textTooLong: self.init("metadata", "must not have a text that is too long")
        case .memberTwice: self.init("metadata", "must not have a member twice")
        }
    }
}
