/// The AC coefficients of one 8×8 block, Huffman-coded once and used for many blocks of a picture.
///
/// AC coefficients are not predicted from block to block, so a picture may repeat them. That makes photos of several
/// megabytes cheap enough to make by the dozen.
struct TextureBlock {
    /// The code in pieces of at most 32 bits, end of block included.
    private(set) var pieces: [(bits: UInt32, count: Int)] = []
    /// The total number of bits.
    private(set) var bitCount = 0

    /// Codes an all-zero block: a flat piece of colour.
    static func flat(_ table: HuffmanTable) -> TextureBlock {
        var block = TextureBlock()
        block.append(table[0])
        return block
    }

    /// Codes a block of noise.
    /// - Parameters:
    ///   - roughness: From 0 (faint) to 3: how many coefficients differ from zero, and by how much.
    static func noise(
        roughness: Int, _ table: HuffmanTable, using generator: inout some RandomNumberGenerator
    ) -> TextureBlock {
        var block = TextureBlock()
        var run: UInt8 = 0
        for index in 1..<64 {
            // Natural pictures have weaker high frequencies; `index` is the place in the zigzag.
            let presence = (0.55 + 0.14 * Float(roughness)) * (1 - Float(index) / 110)
            guard generator.unit() < presence else {
                run += 1
                continue
            }
            while run > 15 {
                block.append(table[0xF0])
                run -= 16
            }
            let largest = max(1, (roughness + 2) * 8 / (index + 7))
            let magnitude = 1 + Int(generator.next() % UInt64(largest))
            let value = generator.next() & 1 == 0 ? magnitude : -magnitude
            let coded = CoefficientCode(value)
            block.append(table[run << 4 | UInt8(coded.count)])
            block.append((coded.bits, coded.count))
            run = 0
        }
        if run > 0 { block.append(table[0]) }
        return block
    }

    private mutating func append(_ code: (bits: UInt32, count: Int)) {
        bitCount += code.count
        if let last = pieces.last, last.count + code.count <= 32 {
            pieces[pieces.count - 1] = (last.bits << UInt32(code.count) | code.bits, last.count + code.count)
        } else {
            pieces.append(code)
        }
    }
}

/// The code of a coefficient's value after its size category: T.81 section F.1.2.1.1.
struct CoefficientCode {
    /// The low bits of the value, or of the value less one when it is negative.
    let bits: UInt32
    /// The size category.
    let count: Int

    init(_ value: Int) {
        count = UInt32(value.magnitude).bitWidth - UInt32(value.magnitude).leadingZeroBitCount
        bits = UInt32(truncatingIfNeeded: value < 0 ? value - 1 : value) & ((1 << UInt32(count)) - 1)
    }
}
