/// Why and where bytes are not CBOR that this decoder takes.
///
/// The description names the rule and the offset only; it never repeats input.
public struct CBORError: Error, Hashable, Sendable {
    /// The rule that was broken; each has its own stable raw value.
    public enum Code: String, Sendable, CaseIterable {
        /// The input ends inside an item, or an item declares more bytes than there are.
        case truncated = "TRUNCATED"
        /// Bytes follow the one item that was asked for.
        case trailingBytes = "TRAILING_BYTES"
        /// A string, array or map of indefinite length, or a "break" (RFC 8949, 3.2).
        case indefiniteLength = "INDEFINITE_LENGTH"
        /// The additional information 28, 29 or 30 (RFC 8949, 3).
        case reservedAdditionalInformation = "RESERVED_ADDITIONAL_INFORMATION"
        /// An integer, length, tag or float that a shorter form could carry (RFC 8949, 4.2.1).
        case notShortest = "NOT_SHORTEST"
        /// A map names one key twice (RFC 8949, 5.6).
        case duplicateKey = "DUPLICATE_KEY"
        /// A text string that is not UTF-8.
        case invalidUTF8 = "INVALID_UTF8"
        /// A two-byte simple value below 32 (RFC 8949, 3.3).
        case reservedSimpleValue = "RESERVED_SIMPLE_VALUE"
        /// Arrays, maps and tags are nested deeper than ``CBORLimits/depthMax``.
        case depthExceeded = "DEPTH_EXCEEDED"
        /// The input has more items than ``CBORLimits/itemsMax``.
        case itemsExceeded = "ITEMS_EXCEEDED"
        /// The input has more bytes than ``CBORLimits/bytesMax``.
        case bytesExceeded = "BYTES_EXCEEDED"
    }

    /// The rule that was broken.
    public let code: Code
    /// Where, in bytes from the start of the input.
    public let offset: Int

    init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }
}

extension CBORError: CustomStringConvertible {
    /// The code and the offset, safe for logs.
    public var description: String { "CBOR \(code.rawValue) at byte \(offset)" }
}
