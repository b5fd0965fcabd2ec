import CaptureModel

/// JSON as descriptions have it, and what they describe.
extension JSONValue {
    /// Whether it is of a type by JSON Schema's name: `1.0` is an integer, and every integer is a number.
    func isOf(_ type: String) -> Bool {
        switch self {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .whole: type == "number" || type == "integer"
        case .fraction(let value): type == "number" || type == "integer" && value == value.rounded()
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }

    /// As a report has it: long texts cut, and of arrays and objects no more than that they are.
    var quoted: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .whole(let value): "\(value)"
        case .fraction(let value): "\(value)"
        case .string(let value): "'\(value.prefix(80))'"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
