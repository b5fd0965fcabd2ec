import CaptureModel

/// The shapes of which all schemas are made.
extension OpenAPISchemas {
    /// Any value.
    static let anything: JSONValue = [:]
    static let text: JSONValue = ["type": "string"]
    static let flag: JSONValue = ["type": "boolean"]
    static let count: JSONValue = ["type": "integer", "minimum": 0]
    static let moment: JSONValue = ["type": "string", "format": "date-time"]
    static let momentOrNull: JSONValue = ["type": ["string", "null"], "format": "date-time"]
    static let uuid: JSONValue = ["type": "string", "format": "uuid"]
    static let counterPolicy: JSONValue = ["type": "string", "pattern": "^(strict|window\\([0-9]+\\))$"]
    static let digest: JSONValue = ["type": "string", "pattern": "^[0-9a-f]{64}$"]
    static let platform = only(Device.platformTaken)

    static let next = orNull("string").described("For `after`; null on the last page.")

    static func base64(_ description: String) -> JSONValue {
        ["type": "string", "contentEncoding": "base64", "description": .string(description)]
    }

    /// A part of a form, as its bytes are.
    ///
    /// JSON Schema knows no such format; generators of clients do.
    static func bytes(_ description: String) -> JSONValue {
        ["type": "string", "format": "binary", "description": .string(description)]
    }

    static func orNull(_ type: String) -> JSONValue { ["type": [.string(type), "null"]] }

    /// What a schema says, or none.
    static func orNull(schema: JSONValue) -> JSONValue { ["anyOf": [schema, ["type": "null"]]] }

    /// One text and no other.
    static func only(_ value: String) -> JSONValue { ["const": .string(value)] }

    static func choice(_ values: [String]) -> JSONValue {
        ["type": "string", "enum": .array(values.map { .string($0) })]
    }

    /// One of the values that a type has.
    static func choice<Value: CaseIterable & RawRepresentable>(
        of type: Value.Type
    ) -> JSONValue where Value.RawValue == String {
        choice(type.allCases.map(\.rawValue))
    }

    /// One of the values that a type has, or none.
    static func choiceOrNull<Value: CaseIterable & RawRepresentable>(
        of type: Value.Type
    ) -> JSONValue where Value.RawValue == String {
        orNull(schema: choice(of: type))
    }

    static func reference(_ schema: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(schema)")] }

    static func referenceOrNull(_ schema: String) -> JSONValue { orNull(schema: reference(schema)) }

    /// An object whose members are all required unless it says which.
    static func object(_ properties: [String: JSONValue], required: [String]? = nil) -> JSONValue {
        let names = required ?? properties.keys.sorted()
        return [
            "type": "object", "properties": .object(properties), "required": .array(names.map { .string($0) }),
        ]
    }
}

extension JSONValue {
    /// The same schema with words for people.
    func described(_ words: String) -> JSONValue { adding(["description": .string(words)]) }
}
