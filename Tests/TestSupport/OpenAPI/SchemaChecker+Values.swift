import CaptureModel
import FoundationEssentials

/// What one schema says of one value, without what it says of members and elements.
extension SchemaChecker {
    /// What is wrong with a value by itself.
    static func problems(of value: JSONValue, with schema: JSONValue) -> [String] {
        if let types = types(of: schema), !types.contains(where: { value.isOf($0) }) {
            return ["\(value.quoted) is no \(types.joined(separator: " or "))"]
        }
        var problems: [String] = []
        if let allowed = schema["enum"]?.elements, !allowed.contains(value) {
            problems.append("\(value.quoted) is not one of \(allowed.map(\.quoted).joined(separator: ", "))")
        }
        if let only = schema["const"], value != only { problems.append("\(value.quoted) is not \(only.quoted)") }
        switch value {
        case .string(let text): problems += self.problems(of: text, with: schema)
        case .whole(let number): problems += range(Double(number), schema, "minimum", "maximum", of: value.quoted)
        case .fraction(let number): problems += range(number, schema, "minimum", "maximum", of: value.quoted)
        case .array(let elements):
            problems += range(Double(elements.count), schema, "minItems", "maxItems", of: "the number of elements")
        case .object(let members):
            let required = schema["required"]?.elements.compactMap(\.string) ?? []
            problems += required.filter { members[$0] == nil }.map { "has no member '\($0)'" }
        case .null, .bool: break
        }
        return problems
    }

    /// The types that a schema allows; `nil` when it says nothing of them.
    static func types(of schema: JSONValue) -> [String]? {
        guard let type = schema["type"] else { return nil }
        return type.string.map { [$0] } ?? type.elements.compactMap(\.string)
    }

    private static func problems(of text: String, with schema: JSONValue) -> [String] {
        let quoted = JSONValue.string(text).quoted
        var problems = range(
            Double(text.unicodeScalars.count), schema, "minLength", "maxLength", of: "the length of \(quoted)")
        if let pattern = schema["pattern"]?.string, !matches(text, pattern) {
            problems.append("\(quoted) does not match \(pattern)")
        }
        if let format = schema["format"]?.string, !isOfFormat(format, text) {
            problems.append("\(quoted) is no \(format)")
        }
        if let encoding = schema["contentEncoding"]?.string, !isOfEncoding(encoding, text) {
            problems.append("\(quoted) is no \(encoding)")
        }
        return problems
    }

    private static func range(
        _ number: Double, _ schema: JSONValue, _ minimum: String, _ maximum: String, of what: String
    ) -> [String] {
        var problems: [String] = []
        if let least = schema[minimum], let limit = least.double, number < limit {
            problems.append("\(what) is below \(least.quoted)")
        }
        if let most = schema[maximum], let limit = most.double, number > limit {
            problems.append("\(what) is above \(most.quoted)")
        }
        return problems
    }

    /// A pattern that cannot be read matches nothing.
    private static func matches(_ text: String, _ pattern: String) -> Bool {
        guard let expression = try? Regex(pattern) else { return false }
        return text.firstMatch(of: expression) != nil
    }

    private static func isOfFormat(_ format: String, _ text: String) -> Bool {
        switch format {
        case "binary": true
        case "date-time": Timestamp(rfc3339: text) != nil
        case "uuid": UUID(uuidString: text) != nil
        case "uri-reference": !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        default: false
        }
    }

    private static func isOfEncoding(_ encoding: String, _ text: String) -> Bool {
        encoding == "base64" && Data(base64Encoded: text) != nil
    }

    // MARK: What is checked at all

    private static let keywords: Set<String> = [
        "$ref", "additionalProperties", "allOf", "anyOf", "const", "contentEncoding", "contentMediaType",
        "contentSchema", "enum", "format", "items", "maxItems", "maxLength", "maximum", "minItems", "minLength",
        "minimum", "oneOf", "pattern", "properties", "required", "type",
        // They say nothing that could be checked.
        "default", "description",
    ]
    private static let formats: Set<String> = ["binary", "date-time", "uri-reference", "uuid"]

    /// What a schema uses that nobody here checks, in all its depth.
    static func unchecked(in schema: JSONValue) -> Set<String> {
        var unchecked = Set(schema.members.keys).subtracting(keywords)
        if let format = schema["format"]?.string, !formats.contains(format) { unchecked.insert("format \(format)") }
        if let encoding = schema["contentEncoding"]?.string, encoding != "base64" {
            unchecked.insert("contentEncoding \(encoding)")
        }
        if let type = schema["contentMediaType"]?.string, type != "application/json" {
            unchecked.insert("contentMediaType \(type)")
        }
        if let pattern = schema["pattern"]?.string, (try? Regex(pattern)) == nil {
            unchecked.insert("pattern \(pattern)")
        }
        var parts = Array((schema["properties"]?.members ?? [:]).values)
        for keyword in ["items", "additionalProperties", "contentSchema"] {
            parts += schema[keyword].map { [$0] } ?? []
        }
        for keyword in ["allOf", "anyOf", "oneOf"] { parts += schema[keyword]?.elements ?? [] }
        for part in parts { unchecked.formUnion(Self.unchecked(in: part)) }
        return unchecked
    }
}
