import FoundationEssentials

/// Reads bytes that stand in JSON as base64.
enum Base64Field {
    /// The bytes of a field.
    /// - Throws: `VALIDATION_ERROR` that names the field, when it is not base64 or has more or fewer bytes.
    static func read(_ text: String, _ field: String, _ sizes: ClosedRange<Int>) throws(APIError) -> [UInt8] {
        guard let data = Data(base64Encoded: text) else { throw .invalid(field, "is not base64") }
        guard sizes.contains(data.count) else {
            let range = sizes.count == 1 ? "\(sizes.lowerBound)" : "\(sizes.lowerBound) to \(sizes.upperBound)"
            throw .invalid(field, "must be \(range) bytes as base64")
        }
        return Array(data)
    }
}
