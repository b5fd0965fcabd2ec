/// Why a depth map is not taken.
package struct DepthError: Error, Equatable, CustomStringConvertible {
    /// What kind of fault it is.
    package enum Code: String, Sendable, CaseIterable {
        /// The bytes are no stream of any encoding that is taken, or one that is cut off or damaged.
        case malformed = "MALFORMED"
        /// Bytes follow the compressed stream, a second gzip member for one.
        case trailingBytes = "TRAILING_BYTES"
        /// The values are not as many as the dimensions ask for.
        case sizeMismatch = "SIZE_MISMATCH"
        /// zlib had no memory for its window.
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
