/// Where and why bytes are not BER that this reader takes.
struct BERError: Error, Equatable {
    /// What is wrong.
    enum Code: String {
        /// The bytes end inside of an element.
        case truncated
        /// A length with more than four octets, or an indefinite one of a primitive element.
        case lengthMalformed = "malformed length"
        /// A tag number of 31 or more, or a stray end-of-contents.
        case tagUnsupported = "unsupported tag"
        /// A different element was expected.
        case unexpected = "unexpected element"
        /// Bytes follow where nothing may.
        case trailingBytes = "trailing bytes"
        /// Indefinite lengths inside of one another beyond the limit.
        case tooDeep = "nested too deeply"
        /// More elements than the limit.
        case tooMany = "too many elements"
    }

    let code: Code
    let offset: Int
}

extension BERError: CustomStringConvertible {
    /// The kind of fault and its place, safe for logs.
    var description: String { "\(code.rawValue) at byte \(offset)" }
}
