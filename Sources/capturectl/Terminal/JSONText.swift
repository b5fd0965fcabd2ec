import FoundationEssentials

/// JSON as the commands print it: keys in order, and no terminal controls in strings.
enum JSONText {
    /// Writes a value in one line, or indented for people.
    static func write(_ value: some Encodable, isIndented: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isIndented { encoder.outputFormatting.insert(.prettyPrinted) }
        return ShownText.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
