import FoundationEssentials

/// How answers are written as JSON.
enum AnswerJSON {
    /// Writes a value, its keys in order.
    ///
    /// - Throws: `INTERNAL_ERROR`; only the error's type is logged, as a description may repeat the request's content.
    static func encoded(
        _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    ) throws(APIError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        do {
            return try encoder.encode(value)
        } catch {
            throw APIError(
                .internalError, "the request could not be completed", cause: .fault("\(type(of: error))"))
        }
    }

    /// Writes a value on one line, its keys in order.
    ///
    /// - Throws: As ``encoded(_:_:)``.
    static func line(_ value: some Encodable) throws(APIError) -> String {
        String(decoding: try encoded(value), as: UTF8.self)
    }
}
