import NIOCore

/// Texts of replies.
///
/// Anybody who may write to Redis can write any text, and Swift compares texts by Unicode equivalence: of combining marks
/// it takes the square of their length for one comparison, minutes for a megabyte.
extension RedisValue {
    /// The most bytes of a word, an id or a number beyond ASCII.
    package static let wordBytesMax = 64
    /// The most bytes of a text that is shown.
    ///
    /// To write a megabyte of it into an answer takes seconds, and a page has hundreds of texts.
    package static let shownBytesMax = 4 << 10
    /// The most bytes of a text beyond ASCII that is shown.
    package static let shownBeyondASCIIBytesMax = 1 << 10

    /// A word, an id or a number: the text of a bulk or simple string or an integer; `nil` for anything else, for bytes
    /// that are not UTF-8, and for a text beyond ASCII of more than ``wordBytesMax`` bytes.
    package var string: String? {
        switch self {
        case .simple(let text): text.utf8.count <= Self.wordBytesMax || Self.isASCII(text.utf8) ? text : nil
        case .bulk(let buffer): Self.text(buffer.readableBytesView, beyondASCIIBytesMax: Self.wordBytesMax)
        case .integer(let value): String(value)
        case .null, .array, .error: nil
        }
    }

    /// Any text, however long: only for what nobody can write who may write the queue's keys.
    package var wholeText: String? {
        if case .bulk(let buffer) = self {
            Self.text(buffer.readableBytesView, beyondASCIIBytesMax: .max)
        } else if case .simple(let text) = self {
            text
        } else {
            string
        }
    }

    /// A text as it is shown: the beginning of one that is too long, with an ellipsis.
    /// - Parameter bytesMax: The most bytes of it, if it is ASCII.
    package func shown(bytesMax: Int = RedisValue.shownBytesMax) -> String? {
        guard let buffer else { return string }
        return Self.shown(buffer.readableBytesView, bytesMax: bytesMax)
    }

    /// The text of bytes as it is shown; `nil` when they are not UTF-8.
    static func shown(_ bytes: some BidirectionalCollection<UInt8>, bytesMax: Int = shownBytesMax) -> String? {
        let most = isASCII(bytes.prefix(bytesMax)) ? bytesMax : min(bytesMax, shownBeyondASCIIBytesMax)
        guard var end = bytes.index(bytes.startIndex, offsetBy: most, limitedBy: bytes.endIndex), end < bytes.endIndex
        else { return String(validating: bytes, as: UTF8.self) }
        // Not in the middle of a character.
        while end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 { bytes.formIndex(before: &end) }
        return String(validating: bytes[..<end], as: UTF8.self).map { $0 + "…" }
    }

    /// Nearly all text is ASCII, which is valid UTF-8: the standard library's validation costs several times the rest.
    private static func text(_ bytes: ByteBufferView, beyondASCIIBytesMax: Int) -> String? {
        if isASCII(bytes) { return String(decoding: bytes, as: UTF8.self) }
        return bytes.count <= beyondASCIIBytesMax ? String(validating: bytes, as: UTF8.self) : nil
    }

    private static func isASCII(_ bytes: some Sequence<UInt8>) -> Bool {
        // A buffer's own iterator checks its bounds for every byte.
        bytes.withContiguousStorageIfAvailable { bytes in unsafe bytes.allSatisfy { $0 < 0x80 } }
            ?? bytes.allSatisfy { $0 < 0x80 }
    }
}
