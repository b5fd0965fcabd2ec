/// What the headers of a part say, as far as RFC 7578 gives it a meaning.
package struct MultipartPart: Sendable, Hashable {
    /// The form field's name.
    package let name: String
    /// The media type that the sender gives, as written.
    package let contentType: String?

    /// Memberwise.
    package init(name: String, contentType: String? = nil) {
        self.name = name
        self.contentType = contentType
    }
}

/// What the parser found next.
///
/// A body gives, for every part, one `partBegin`, any number of `bytes` and `carried`, and one `partEnd`; then `end`.
/// A part's content is what `bytes` and `carried` give, in the order in which they come.
package enum MultipartEvent: Sendable, Hashable {
    /// A part begins.
    case partBegin(MultipartPart)
    /// Content: these offsets of the chunk that the parser was given. Never empty.
    case bytes(Range<Int>)
    /// Content from the end of earlier chunks that might have become a boundary: at most 74 bytes, never empty.
    case carried(ArraySlice<UInt8>)
    /// The part is over.
    case partEnd
    /// The last boundary is there: no part follows.
    case end
}
