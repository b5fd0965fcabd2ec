public import Crypto

/// A SHA-256 digest (FIPS 180-4): 32 bytes, compared as bytes.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    /// How many bytes a digest has.
    private static let count = 32

    /// The bytes as they lie in memory: digests are copied with every capture, and these need no counting.
    private let words: Words

    /// No SIMD4: an async function that keeps a value of 32-byte alignment writes past the end of its own frame
    /// (Swift 6.3; `DigestAlignmentTests`).
    private struct Words: Hashable {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var third: UInt64 = 0
        var fourth: UInt64 = 0
    }

    /// The 32 bytes.
    public var bytes: [UInt8] { withUnsafeBytes(of: words, Array.init) }

    /// Takes exactly 32 bytes; any other count is `nil`.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        var words = Words()
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.words = words
    }

    /// Takes the eight words of a hash function's state, as FIPS 180-4 writes them out (6.2.2: high-order byte first).
    package init(state: SIMD8<UInt32>) {
        var bytes = state
        for word in 0..<8 { bytes[word] = state[word].bigEndian }
        words = unsafeBitCast(bytes, to: Words.self)
    }

    /// Takes over what the hash function gave.
    public init(_ digest: SHA256.Digest) {
        var words = Words()
        withUnsafeMutableBytes(of: &words) { words in digest.withUnsafeBytes { words.copyMemory(from: $0) } }
        self.words = words
    }

    // SE-0460: other modules call what is compiled for text; the generic form looks every operation up.
    /// Reads 64 hexadecimal digits of either case; anything else is `nil`.
    @specialized(where Text == String)
    @specialized(where Text == Substring)
    public init?<Text: StringProtocol>(hex: Text) {
        guard hex.utf8.count == 2 * Self.count else { return nil }
        var words = Words()
        let isHex = withUnsafeMutableBytes(of: &words) { Hex.decode(hex.utf8, into: $0) }
        guard isHex else { return nil }
        self.words = words
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

    /// The byte that two digits of either case stand for; `nil` when one is none.
    static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = value(of: high), let low = value(of: low) else { return nil }
        return high << 4 | low
    }

    /// Reads an even number of digits of either case; anything else is `nil`.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.utf8.count / 2)
        return bytes.withUnsafeMutableBytes { decode(text.utf8, into: $0) } ? bytes : nil
    }

    /// Reads two digits for each byte; `false` when one is none.
    fileprivate static func decode(_ text: some Collection<UInt8>, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        // A String's text lies in one piece nearly always, and going through it by its own
        // iterator costs ten times that.
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
