/// The line of text that separates the parts of a body (RFC 2046 section 5.1.1).
package struct MultipartBoundary: Sendable, Hashable {
    /// The text as the Content-Type gives it: 1 to 70 characters, without the leading hyphens.
    package let text: String

    /// Takes the text of a boundary.
    ///
    /// - Throws: `invalidBoundary` unless it has 1 to 70 `bchars` and ends with no space.
    package init(text: String) throws(MultipartError) {
        guard (1...70).contains(text.utf8.count) else {
            throw MultipartError(.invalidBoundary, "a boundary has 1 to 70 characters")
        }
        guard text.utf8.allSatisfy(Self.isAllowed), text.utf8.last != UInt8(ascii: " ") else {
            throw MultipartError(.invalidBoundary, "the boundary has a character that is not allowed there")
        }
        self.text = text
    }

    /// Reads the boundary from a Content-Type of `multipart/form-data`.
    ///
    /// - Parameter parametersMax: How many parameters the header may have.
    /// - Throws: `notMultipart`, `missingBoundary`, `invalidBoundary`, `duplicate`, `tooManyParameters`, or
    ///   `malformedHeader` when the parameters cannot be read.
    package init(contentType: String, parametersMax: Int = 8) throws(MultipartError) {
        let header = try HeaderValue(
            contentType.utf8[...], parametersMax: parametersMax, malformed: .malformedHeader
        )
        guard header.value == "multipart/form-data" else {
            throw MultipartError(.notMultipart, "the body must be multipart/form-data")
        }
        guard let text = header.parameters["boundary"] else {
            throw MultipartError(.missingBoundary, "the Content-Type names no boundary")
        }
        try self.init(text: text)
    }

    /// `bchars` of RFC 2046.
    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default:
            "'()+_,-./:=? ".utf8.contains(character)
        }
    }
}
