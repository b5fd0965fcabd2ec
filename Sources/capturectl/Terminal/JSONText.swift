import FoundationEssentials

/// JSON as the commands print it: one line, keys in order.
enum JSONText {
    static func write(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
