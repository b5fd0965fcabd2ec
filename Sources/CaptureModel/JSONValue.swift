#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Any JSON: answers that are only shown, lines that are not checked yet, and the API's description.
///
/// The members of an object have no order: what writes JSON for people sorts them by name.
package indirect enum JSONValue: Sendable, Equatable, Codable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction that 64 bits hold.
    case whole(Int64)
    /// Any other number.
    case fraction(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members by name.
    case object([String: JSONValue])

    /// Reads a whole text.
    /// - Throws: `DecodingError` when it is no JSON.
    package init(json: some Collection<UInt8>) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(json))
    }

    /// Reads whatever value is there.
    /// - Throws: `DecodingError` when it is none of the cases.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            // First, as most are texts: each attempt that fails makes an error.
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .whole(value)
        } else if let value = try? container.decode(Double.self) {
            self = .fraction(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes the same JSON again.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .whole(let value): try container.encode(value)
        case .fraction(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// A member, when this is an object that has it.
    package subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The text, when this is a string.
    package var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The truth value, when this is one.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number, when this is one without a fraction.
    package var integer: Int? { if case .whole(let value) = self { Int(exactly: value) } else { nil } }

    /// The number, when this is one.
    package var double: Double? {
        switch self {
        case .whole(let value): Double(value)
        case .fraction(let value): value
        default: nil
        }
    }

    /// The elements, when this is an array.
    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
}
