/// Decodes the uploaded bytes of a depth map into distances; the declared dimensions bound the output.
///
/// The encoding follows from the bytes. A length that is exactly the size of the values means raw. gzip and zlib have
/// signatures that no deflate stream starts with (RFC 1951 section 3.2.3: `1F` would be the reserved block type, and a
/// low half of 8 a stored block with nonzero padding). Everything else is deflate.
///
/// ```swift
/// let map = try DepthDecoder().decode(depth.readableBytesUInt8Span, dimensions: dimensions)
/// ```
package struct DepthDecoder: Sendable {
    /// Makes a decoder.
    package init() {}

    /// Decodes a depth map.
    ///
    /// - Throws: `sizeMismatch` when the number of values is not that of the dimensions, `trailingBytes` when bytes
    ///   follow the compressed stream, `malformed` when there is no complete stream.
    package func decode(_ bytes: Span<UInt8>, dimensions: DepthDimensions) throws(DepthError) -> DepthMap {
        let encoding = Self.encoding(of: bytes, expected: dimensions.bytes)
        let values: [Float]
        switch encoding {
        case .raw: values = Self.values(bytes, count: dimensions.values)
        case .gzip: values = try Self.inflate(bytes, .gzip, dimensions)
        case .zlib: values = try Self.inflate(bytes, .zlib, dimensions)
        case .deflate:
            do throws(DepthError) {
                values = try Self.inflate(bytes, .none, dimensions)
            } catch {
                guard error.code == .malformed, Self.areValues(bytes) else { throw error }
                throw DepthError(.sizeMismatch, "the depth map is raw, and not of its dimensions' size")
            }
        }
        return DepthMap(
            dimensions: dimensions, encoding: encoding, values: values, summary: DepthMap.Summary(values)
        )
    }

    /// Finds the encoding by length and first bytes.
    static func encoding(of bytes: Span<UInt8>, expected: Int) -> DepthMap.Encoding {
        if bytes.count == expected { return .raw }
        if bytes.hasBytes([0x1F, 0x8B], at: 0) { return .gzip }
        // RFC 1950 section 2.2: method 8, a window of at most 32 KiB, the two bytes a multiple of 31.
        if bytes.count >= 2, bytes[0] & 0x0F == 8, bytes[0] >> 4 <= 7, bytes.bigEndian16(at: 0).isMultiple(of: 31) {
            return .zlib
        }
        return .deflate
    }

    /// Whether bytes are raw values of other dimensions, as they start with distances or NaN.
    private static func areValues(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count.isMultiple(of: 4), bytes.count >= 64 else { return false }
        return values(bytes, count: 16).allSatisfy { $0.isNaN || (0...1000).contains($0) }
    }

    private static func inflate(
        _ bytes: Span<UInt8>, _ wrapping: InflateStream.Wrapping, _ dimensions: DepthDimensions
    ) throws(DepthError) -> [Float] {
        // One byte more than needed tells "too many" from "exactly": nothing beyond it is ever decompressed.
        var output = [UInt8](repeating: 0, count: dimensions.bytes + 1)
        var stream = try InflateStream(wrapping)
        let outcome = try stream.run(bytes, into: &output)
        guard outcome.produced <= dimensions.bytes else {
            throw DepthError(.sizeMismatch, "the depth map has more values than its dimensions")
        }
        guard outcome.isComplete else {
            throw DepthError(.malformed, "the compressed data end before their end")
        }
        guard outcome.consumed == bytes.count else {
            throw DepthError(.trailingBytes, "bytes follow the compressed data")
        }
        guard outcome.produced == dimensions.bytes else {
            throw DepthError(.sizeMismatch, "the depth map has fewer values than its dimensions")
        }
        return values(output.span, count: dimensions.values)
    }

    /// Reads `count` 32-bit little-endian floating-point numbers; the caller has checked that they are there.
    private static func values(_ bytes: Span<UInt8>, count: Int) -> [Float] {
        let raw = unsafe bytes.bytes
        return (0..<count).map { index in
            // Every bit pattern is a value of this type.
            let bits = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
            return Float(bitPattern: UInt32(littleEndian: bits))
        }
    }
}
