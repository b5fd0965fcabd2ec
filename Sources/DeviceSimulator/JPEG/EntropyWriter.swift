/// Packs Huffman codes into the bytes of a JPEG scan, stuffing a zero after each 0xFF (T.81 section B.1.1.5).
struct EntropyWriter {
    private(set) var bytes: [UInt8] = []
    private var accumulator: UInt64 = 0
    private var pending = 0

    /// Starts with room for `capacity` bytes.
    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Appends up to 32 bits, the most significant first.
    mutating func append(_ bits: UInt32, _ count: Int) {
        accumulator = accumulator << UInt64(count) | UInt64(bits)
        pending += count
        while pending >= 8 {
            pending -= 8
            let byte = UInt8(truncatingIfNeeded: accumulator >> UInt64(pending))
            bytes.append(byte)
            if byte == 0xFF { bytes.append(0) }
        }
    }

    /// Fills the last byte with ones, as T.81 section F.1.2.3 requires.
    mutating func finish() {
        if pending > 0 { append((1 << UInt32(8 - pending)) - 1, 8 - pending) }
    }
}
