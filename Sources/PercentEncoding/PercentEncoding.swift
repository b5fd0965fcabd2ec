/// Percent-encoded text (RFC 3986 section 2.1), as used in URLs and forms.
package enum PercentEncoding {
    /// Decodes a text; a `%` without two hexadecimal digits after it stands for itself.
    /// - Returns: The bytes, and whether there was no such `%`.
    package static func decode(_ text: some Sequence<UInt8>) -> (bytes: [UInt8], isWhole: Bool) {
        var (bytes, isWhole) = ([UInt8](), true)
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = digit(rest[rest.startIndex]),
                let low = digit(rest[rest.startIndex + 1])
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                isWhole = isWhole && byte != UInt8(ascii: "%")
                bytes.append(byte)
            }
        }
        return (bytes, isWhole)
    }

    /// Writes a text so that it stands for itself in a query or a form: what is not plain is written by its bytes.
    package static func encode(_ text: some StringProtocol) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
