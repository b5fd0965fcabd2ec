/// A member of a JSON object.
package struct JSONMember: Sendable, Equatable {
    /// Its name, without escapes.
    package let name: String
    /// The place of its value in the text, including quotation marks or brackets.
    package let value: Range<Int>
}
