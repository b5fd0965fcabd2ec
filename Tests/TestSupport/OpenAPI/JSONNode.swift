import FoundationEssentials

/// JSON as descriptions have it, and what they describe.
indirect enum JSONNode: Sendable, Equatable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONNode])
    case object([String: JSONNode])

    /// Takes over whatever is there.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([JSONNode].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONNode].self))
        }
    }

    /// Reads a text.
    init(parsing bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(JSONNode.self, from: Data(bytes))
    }

    /// A member, when this is an object that has it.
    subscript(name: String) -> JSONNode? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The text, when this is a string.
    var text: String? { if case .string(let value) = self { value } else { nil } }

    /// The number, when this is one.
    var number: Double? { if case .number(let value) = self { value } else { nil } }

    /// The elements; none when this is no array.
    var elements: [JSONNode] { if case .array(let value) = self { value } else { [] } }

    /// The members; none when this is no object.
    var members: [String: JSONNode] { if case .object(let value) = self { value } else { [:] } }

    /// Whether it is of a type by JSON Schema's name: `1.0` is an integer, and every integer is a number.
    func isOf(_ type: String) -> Bool {
        switch self {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .number(let value): type == "number" || type == "integer" && value == value.rounded()
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
        case .number(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        case .string(let value): "'\(value.prefix(80))'"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
