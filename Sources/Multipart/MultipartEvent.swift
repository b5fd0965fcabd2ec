/// The headers of a part, as far as RFC 7578 defines them.
package struct MultipartPart: Sendable, Hashable {
    /// The form field's name.
    package let name: String
    /// The media type that the sender gives, verbatim.
    package let contentType: String?

    /// Memberwise.
    package init(name: String, contentType: String? = nil) {
        self.name = name
        self.contentType = contentType
    }
}

/// The next thing that the parser found.
///
/// A body yields, for every part, one `partBegin`, any number of `bytes` and `carried`, and one `partEnd`; then `end`.
/// A part's content is that of its `bytes` and `carried` in order.
package enum MultipartEvent: Sendable, Hashable {
    /// A part begins.
    case partBegin(MultipartPart)
    /// Content: these offsets of the chunk that the parser was given. Never empty.
    case bytes(Range<Int>)
    /// Content from the end of earlier chunks that might have become a boundary: at most 74 bytes, never empty.
    case carried(ArraySlice<UInt8>)
    /// The part has ended.
    case partEnd
    /// The last boundary was found: no part follows.
    case end
}
