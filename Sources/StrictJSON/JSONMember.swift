/// A member of a JSON object.
public struct JSONMember: Sendable, Equatable {
    /// Its name, without escapes.
    public let name: String
    /// Where its value lies in the text, quotation marks or brackets with it.
    public let value: Range<Int>
}
