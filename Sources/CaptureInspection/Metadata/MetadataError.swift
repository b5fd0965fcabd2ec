/// Why a capture's metadata are refused, and at which field.
public struct MetadataError: Error, Equatable, CustomStringConvertible {
    /// The field, dotted where it lies within another; `metadata` when it is the whole.
    public let field: String
    /// What was wrong with it, in words; never holds the value.
    public let message: String

    init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }

    /// Field and message.
    public var description: String { "\(field): \(message)" }
}
