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
