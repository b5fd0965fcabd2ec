/// A member of a JSON object that is there in any case: null where nothing is known of it.
///
/// A plain optional would be left out, and whoever reads the object could not tell it from a name misspelt.
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
