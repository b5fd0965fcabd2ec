import FoundationEssentials

/// Base64 as people and programs write it.
enum Base64Text {
    /// Reads base64 or base64url (RFC 4648, 4 and 5), with or without padding and line breaks; else `nil`.
    static func decode(_ text: String) -> [UInt8]? {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): digits.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): digits.append(UInt8(ascii: "/"))
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
            default: digits.append(byte)
            }
        }
        var padding = 0
        while digits.last == UInt8(ascii: "="), padding < 2 {
            digits.removeLast()
            padding += 1
        }
        guard digits.count % 4 != 1 else { return nil }
        while digits.count % 4 != 0 { digits.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(digits)).map { Array($0) }
    }

    /// Writes base64 with padding.
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
