/// JSON as it is written in Swift.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// Makes a text.
    package init(stringLiteral value: String) { self = .string(value) }

    /// Makes a number.
    package init(integerLiteral value: Int64) { self = .whole(value) }

    /// Makes a truth value.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Makes a list.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Makes an object; of equal names the first counts.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { first, _ in first })
    }
}

extension JSONValue {
    /// The same object with further members, which replace those of the same names; what is no object stays as it is.
    package func adding(_ members: [String: JSONValue]) -> JSONValue {
        guard case .object(let own) = self else { return self }
        return .object(own.merging(members) { _, new in new })
    }
}
