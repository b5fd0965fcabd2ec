/// A member of a JSON object.
package struct JSONMember: Sendable, Equatable {
    /// Its name, without escapes.
    package let name: String
    /// Where its value lies in the text, quotation marks or brackets with it.
    package let value: Range<Int>
}
