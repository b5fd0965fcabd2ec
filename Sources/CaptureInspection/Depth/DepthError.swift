/// Why a depth map is refused.
package struct DepthError: Error, Equatable, CustomStringConvertible {
    /// What kind of fault it is.
    package enum Code: String, Sendable, CaseIterable {
        /// The bytes are a stream of no accepted encoding, or one that is cut off or damaged.
        case malformed = "MALFORMED"
        /// Bytes follow the compressed stream, for example a second gzip member.
        case trailingBytes = "TRAILING_BYTES"
        /// The number of values is not that of the dimensions.
        case sizeMismatch = "SIZE_MISMATCH"
        /// zlib could not allocate memory for its window.
        case outOfMemory = "OUT_OF_MEMORY"
    }

    /// The kind of fault.
    package let code: Code
    /// What was wrong, in words.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    package var description: String { "\(code.rawValue): \(message)" }

    /// Whether both are the same kind of fault.
    package static func == (left: DepthError, right: DepthError) -> Bool { left.code == right.code }
}
