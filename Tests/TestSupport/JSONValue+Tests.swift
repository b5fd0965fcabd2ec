public import GatewayClient

/// JSON as tests write it.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral {
    /// Makes a text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Makes an object; what is `nil` is left out.
    public init(dictionaryLiteral elements: (String, JSONValue?)...) {
        let members = elements.compactMap { name, value in value.map { (name, $0) } }
        self = .object(Dictionary(members) { first, _ in first })
    }
}

/// JSON as tests read it.
extension JSONValue {
    /// The elements; none when this is no array.
    public var elements: [JSONValue] { array ?? [] }

    /// The members; none when this is no object.
    public var members: [String: JSONValue] { if case .object(let value) = self { value } else { [:] } }
}

/// What may not be there: a path through it is written without a question mark at each step, and leads to `nil`.
///
/// A member that is `null` is there.
extension JSONValue? {
    /// A member; what is no object has none, and gets none.
    public subscript(name: String) -> JSONValue? {
        get { self?[name] }
        set {
            guard case .object(var members) = self else { return }
            members[name] = newValue
            self = .object(members)
        }
    }

    /// The text, when this is a string.
    public var string: String? { self?.string }

    /// The elements; none when this is no array.
    public var elements: [JSONValue] { self?.elements ?? [] }

    /// The members; none when this is no object.
    public var members: [String: JSONValue] { self?.members ?? [:] }
}
