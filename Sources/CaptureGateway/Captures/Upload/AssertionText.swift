import FoundationEssentials

/// The `assertion` part: CBOR as it is, or as base64 text.
enum AssertionText {
    /// Gives the CBOR; `nil` when the bytes are neither.
    ///
    /// A map's first byte in CBOR (major type 5, RFC 8949 section 3) is 0xA0 to 0xBF, which no base64 text starts with.
    static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        guard let first = bytes.first else { return nil }
        if (0xA0...0xBF).contains(first) { return bytes }
        // A line end behind the text is what command-line tools add.
        let end = bytes.lastIndex { $0 != 0x0A && $0 != 0x0D } ?? 0
        guard let decoded = Data(base64Encoded: Data(bytes[...end])), !decoded.isEmpty else { return nil }
        return Array(decoded)
    }
}
