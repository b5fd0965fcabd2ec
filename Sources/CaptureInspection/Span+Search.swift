#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Span<UInt8> {
    /// The first place of a byte within a range inside the span; as fast as `memchr`.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        return unsafe extracting(range).withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let hit = unsafe memchr(base, Int32(byte), bytes.count)
            else { return nil }
            return unsafe range.lowerBound + (UnsafeRawPointer(hit) - base)
        }
    }

    /// Whether the expected bytes are at an offset; `false` for an offset outside the span.
    func hasBytes(_ expected: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset <= count, expected.count <= count - offset else { return false }
        return expected.indices.allSatisfy { self[offset + $0] == expected[$0] }
    }

    /// Whether a range inside the span has only zero bytes.
    func isZero(_ range: Range<Int>) -> Bool {
        for index in range where self[index] != 0 { return false }
        return true
    }

    /// The big-endian number of two bytes, as JPEG writes them; the caller has checked that they are there.
    func bigEndian16(at offset: Int) -> Int {
        Int(self[offset]) << 8 | Int(self[offset + 1])
    }

    /// The little-endian number of up to four bytes, as ZIP writes them; the caller has checked that they are there.
    func littleEndian(_ bytes: Int, at offset: Int) -> Int {
        (0..<bytes).reduce(0) { number, index in number | Int(self[offset + index]) << (8 * index) }
    }
}
