public import Crypto

/// A SHA-256 digest (FIPS 180-4): 32 bytes, compared as bytes.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Takes exactly 32 bytes; any other count is `nil`.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Takes over what the hash function gave.
    public init(_ digest: SHA256.Digest) {
        self.bytes = Array(digest)
    }

    /// Reads 64 hexadecimal digits of either case; anything else is `nil`.
    public init?(hex: some StringProtocol) {
        guard hex.utf8.count == 64, let bytes = Hex.decode(hex) else { return nil }
        self.bytes = bytes
    }

    /// Hashes bytes that are in memory as a whole.
    public static func hash(_ bytes: [UInt8]) -> SHA256Digest {
        SHA256Digest(SHA256.hash(data: bytes))
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { Hex.encode(bytes) }

    /// The same as ``hex``.
    public var description: String { hex }
}

/// Hexadecimal text, as digests are written everywhere.
public enum Hex {
    /// Writes two lower-case digits per byte.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var index = 0
            for byte in bytes {
                buffer[index] = digits[Int(byte >> 4)]
                buffer[index + 1] = digits[Int(byte & 15)]
                index += 2
            }
            return index
        }
    }

    /// Reads an even number of digits of either case; anything else is `nil`.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
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
