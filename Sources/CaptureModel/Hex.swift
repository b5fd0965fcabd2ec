/// Hexadecimal text, the form of all digests.
package enum Hex {
    /// Writes two lower-case digits per byte.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var index = 0
            for byte in bytes {
                (buffer[index], buffer[index + 1]) = digits(of: byte)
                index += 2
            }
            return index
        }
    }

    /// The two lower-case digits of a byte.
    static func digits(of byte: UInt8) -> (UInt8, UInt8) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value }
        return (digit(byte >> 4), digit(byte & 15))
    }

    /// The byte of two digits of either case; `nil` when one of them is no digit.
    static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = value(of: high), let low = value(of: low) else { return nil }
        return high << 4 | low
    }

    /// Reads an even number of digits of either case; anything else is `nil`.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.utf8.count / 2)
        return bytes.withUnsafeMutableBytes { decode(text.utf8, into: $0) } ? bytes : nil
    }

    /// Reads two digits for each byte; `false` when one of them is no digit.
    static func decode(_ text: some Collection<UInt8>, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        // The text of a String is nearly always contiguous, and reading it by its own iterator costs ten times as much.
        text.withContiguousStorageIfAvailable { decode(contiguous: $0, into: bytes) }
            ?? Array(text).withUnsafeBufferPointer { decode(contiguous: $0, into: bytes) }
    }

    private static func decode(
        contiguous text: UnsafeBufferPointer<UInt8>, into bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard text.count == 2 * bytes.count else { return false }
        for index in bytes.indices {
            guard let byte = byte(text[2 * index], text[2 * index + 1]) else { return false }
            bytes[index] = byte
        }
        return true
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
