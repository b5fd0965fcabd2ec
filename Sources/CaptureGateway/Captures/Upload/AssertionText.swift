import FoundationEssentials

/// The `assertion` part: CBOR as it is, or as base64 text (RFC 4648 section 4) in the form that encoding gives.
enum AssertionText {
    /// Gives the CBOR; `nil` when the bytes are neither.
    ///
    /// A map's first byte in CBOR (major type 5, RFC 8949 section 3) is 0xA0 to 0xBF, which no base64 text starts with.
    static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        guard let first = bytes.first else { return nil }
        if (0xA0...0xBF).contains(first) { return bytes }
        // A line end behind the text is what command-line tools add.
        let end = bytes.lastIndex { $0 != 0x0A && $0 != 0x0D } ?? 0
        let text = Data(bytes[...end])
        // Readers differ on more padding than the bytes need, and on bits after the last byte that are not zero: gateways
        // in other languages would refuse what is taken here.
        guard let decoded = Data(base64Encoded: text), !decoded.isEmpty, decoded.base64EncodedData() == text else {
            return nil
        }
        return Array(decoded)
    }
}
