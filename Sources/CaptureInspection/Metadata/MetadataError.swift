/// Why a capture's metadata are refused, and which field is at fault.
package struct MetadataError: Error, Equatable, CustomStringConvertible {
    /// The field, dotted where it lies within another; `metadata` for the document as a whole.
    package let field: String
    /// What was wrong with it, in words; never holds the value.
    package let message: String

    init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }

    /// Field and message.
    package var description: String { "\(field): \(message)" }
}
