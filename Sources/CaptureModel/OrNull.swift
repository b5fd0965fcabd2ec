/// A member that a JSON object always has: null if its value is not known.
///
/// A plain optional would be left out, and a reader could not tell that from a misspelt name.
@propertyWrapper package struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
    /// The member; `nil`: nothing is known.
    package var wrappedValue: Value?

    /// Takes what is known.
    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    /// Writes the member, or null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

extension OrNull: Equatable where Value: Equatable {}

extension OrNull: Decodable where Value: Decodable {
    /// Reads the member; null is `nil`.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.init(wrappedValue: container.decodeNil() ? nil : try container.decode(Value.self))
    }
}

extension KeyedDecodingContainer {
    /// Reads a member that may be missing: then it is `nil`, as if it were null.
    ///
    /// What the compiler writes for a decodable type calls this one, and not the general `decode`, which throws then.
    package func decode<Value: Decodable>(_: OrNull<Value>.Type, forKey key: Key) throws -> OrNull<Value> {
        OrNull(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
