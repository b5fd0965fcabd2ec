/// A depth map that is small as uploaded and enormous once unpacked: zeros, about 160 times as many.
enum DepthBomb: String, CaseIterable, Sendable {
    case deflate, zlib, gzip

    /// The packed bytes, about so many.
    func bytes(_ count: Int) -> [UInt8] {
        switch self {
        case .deflate: Self.deflated(count)
        case .zlib: [0x78, 0x9C] + Self.deflated(count) + [0, 0, 0, 0]
        case .gzip: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Self.deflated(count) + [UInt8](repeating: 0, count: 8)
        }
    }

    /// One block with fixed codes (RFC 1951 section 3.2.6): a zero, then as many copies of 258 zeros as fit.
    private static func deflated(_ count: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.write([1, 1, 0])
        bits.write([0, 0, 1, 1, 0, 0, 0, 0])
        // Length 258 is the symbol 285, distance 1 the symbol 0.
        while bits.bytes.count < count { bits.write([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]) }
        bits.write([0, 0, 0, 0, 0, 0, 0])
        return bits.bytes
    }

    private struct BitWriter {
        var bytes: [UInt8] = []
        private var used = 8

        mutating func write(_ bits: [UInt8]) {
            for bit in bits {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= bit << used
                used += 1
            }
        }
    }
}
