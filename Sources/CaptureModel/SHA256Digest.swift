public import Crypto

/// A SHA-256 digest (FIPS 180-4): 32 bytes, compared as bytes.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    /// How many bytes a digest has.
    private static let count = 32

    /// The bytes inline: digests are copied with every capture, and an array would need reference counting.
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

    /// Takes the eight words of a hash function's state; FIPS 180-4 (6.2.2) writes each high-order byte first.
    package init(state: SIMD8<UInt32>) {
        var bytes = state
        for word in 0..<8 { bytes[word] = state[word].bigEndian }
        words = unsafeBitCast(bytes, to: Words.self)
    }

    /// Takes over the hash function's result.
    public init(_ digest: SHA256.Digest) {
        var words = Words()
        withUnsafeMutableBytes(of: &words) { words in digest.withUnsafeBytes { words.copyMemory(from: $0) } }
        self.words = words
    }

    // SE-0460: other modules call the versions compiled for these texts; the generic one looks up every operation.
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
