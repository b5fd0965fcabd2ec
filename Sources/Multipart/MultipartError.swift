/// Why a body is refused as `multipart/form-data`.
///
/// Two are equal when their codes are equal; the message is for people.
package struct MultipartError: Error, Equatable, CustomStringConvertible {
    /// The kind of fault: stable, fit for a metric's label.
    package enum Code: String, Sendable, CaseIterable {
        /// The Content-Type is not `multipart/form-data`.
        case notMultipart = "NOT_MULTIPART"
        /// The Content-Type names no boundary.
        case missingBoundary = "MISSING_BOUNDARY"
        /// The boundary is empty, too long or has characters that RFC 2046 does not allow.
        case invalidBoundary = "INVALID_BOUNDARY"
        /// A boundary in the body is followed by something other than padding, a line end or `--`.
        case malformedDelimiter = "MALFORMED_DELIMITER"
        /// A part's headers are not lines of `name: value`, ended by CR LF.
        case malformedHeader = "MALFORMED_HEADER"
        /// A part has more header bytes than allowed.
        case headersTooLarge = "HEADERS_TOO_LARGE"
        /// A part's Content-Disposition is missing or is not `form-data` with well-formed parameters.
        case malformedDisposition = "MALFORMED_DISPOSITION"
        /// A part's Content-Disposition has no `name`.
        case missingName = "MISSING_NAME"
        /// A header or a parameter occurs twice.
        case duplicate = "DUPLICATE"
        /// A header has more parameters than allowed.
        case tooManyParameters = "TOO_MANY_PARAMETERS"
        /// A part declares a transfer encoding that changes its bytes; RFC 7578 section 4.7 deprecates these.
        case unsupportedEncoding = "UNSUPPORTED_ENCODING"
        /// The body has more parts than allowed.
        case tooManyParts = "TOO_MANY_PARTS"
        /// There are more bytes before the first or after the last boundary than allowed.
        case surroundingsTooLarge = "SURROUNDINGS_TOO_LARGE"
        /// The body ended before its last boundary.
        case unexpectedEnd = "UNEXPECTED_END"
    }

    /// The kind of fault.
    package let code: Code
    /// What was wrong, in words; never holds bytes of the body.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    package var description: String { "\(code.rawValue): \(message)" }

    /// Whether both are the same kind of fault.
    package static func == (left: MultipartError, right: MultipartError) -> Bool { left.code == right.code }
}
