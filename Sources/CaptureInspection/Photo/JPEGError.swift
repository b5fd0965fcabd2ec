/// Why a photo is refused as a JPEG.
package struct JPEGError: Error, Equatable, CustomStringConvertible {
    /// What kind of fault it is.
    package enum Code: String, Sendable, CaseIterable {
        /// The file does not start with the JPEG signature.
        case noSignature = "NO_SIGNATURE"
        /// The file ends within its structure.
        case truncated = "TRUNCATED"
        /// A segment or marker breaks the rules of ITU T.81.
        case malformed = "MALFORMED"
        /// The coding process is one that no camera uses: lossless, hierarchical or arithmetic.
        case unsupported = "UNSUPPORTED"
        /// A limit on pixels, segments, scans or metadata is exceeded.
        case limitExceeded = "LIMIT_EXCEEDED"
    }

    /// The kind of fault.
    package let code: Code
    /// Where in the file it was found.
    package let offset: Int
    /// What was wrong, in words.
    package let message: String

    init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    /// Code, place and message.
    package var description: String { "\(code.rawValue) at byte \(offset): \(message)" }

    /// Whether both are the same kind of fault.
    package static func == (left: JPEGError, right: JPEGError) -> Bool { left.code == right.code }
}
