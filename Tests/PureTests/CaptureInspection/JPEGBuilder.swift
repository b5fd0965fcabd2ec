/// Makes the smallest JPEGs that are whole, segment by segment, so that a test can break one thing at a time.
struct JPEGBuilder {
    var bytes: [UInt8] = [0xFF, 0xD8]

    /// A segment with its length.
    func segment(_ marker: UInt8, _ payload: [UInt8]) -> JPEGBuilder {
        raw([0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload)
    }

    /// Bytes as they are.
    func raw(_ more: [UInt8]) -> JPEGBuilder {
        var copy = self
        copy.bytes += more
        return copy
    }

    /// A quantization table of ones.
    func quantization(slot: UInt8 = 0) -> JPEGBuilder {
        segment(0xDB, [slot] + [UInt8](repeating: 1, count: 64))
    }

    /// A Huffman table with the one code `0`.
    func huffman(_ selector: UInt8, symbol: UInt8 = 0) -> JPEGBuilder {
        huffman(selector, counts: [1], symbols: [symbol])
    }

    /// A Huffman table with so many codes of one bit, of two and so on.
    func huffman(_ selector: UInt8, counts: [UInt8], symbols: [UInt8]) -> JPEGBuilder {
        segment(0xC4, [selector] + counts + [UInt8](repeating: 0, count: 16 - counts.count) + symbols)
    }

    /// A frame of components without subsampling, numbered from 1.
    func frame(_ marker: UInt8 = 0xC0, width: Int = 8, height: Int = 8, components: UInt8 = 1) -> JPEGBuilder {
        frame(marker, width: width, height: height, sampling: [UInt8](repeating: 0x11, count: Int(components)))
    }

    /// A frame of components with such sampling factors, numbered from 1.
    func frame(
        _ marker: UInt8 = 0xC0, width: Int = 8, height: Int = 8, sampling: [UInt8], precision: UInt8 = 8
    ) -> JPEGBuilder {
        let sizes = [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        let components = zip(1...UInt8(sampling.count), sampling).flatMap { [UInt8]([$0, $1, 0]) }
        return segment(marker, [precision] + sizes + [UInt8(sampling.count)] + components)
    }

    /// A scan's header.
    func scan(_ components: [UInt8] = [1], band: ClosedRange<UInt8> = 0...63, bits: UInt8 = 0) -> JPEGBuilder {
        segment(
            0xDA,
            [UInt8(components.count)] + components.flatMap { [$0, 0] } + [band.lowerBound, band.upperBound, bits])
    }

    /// The end of image.
    var end: [UInt8] { bytes + [0xFF, 0xD9] }

    /// All before the frame.
    static var tables: JPEGBuilder { JPEGBuilder().quantization().huffman(0x00).huffman(0x10) }

    /// One grey block, baseline.
    static var baseline: [UInt8] { tables.frame().scan().raw([0x3F]).end }

    /// One grey block in four progressive scans.
    static var progressive: [UInt8] {
        tables.frame(0xC2)
            .scan(band: 0...0, bits: 0x01).raw([0x7F])
            .scan(band: 0...0, bits: 0x10).raw([0x7F])
            .scan(band: 1...5).raw([0x7F])
            .scan(band: 6...63).raw([0x7F]).end
    }

    /// Eight rows of blocks with a restart after each.
    static var restarts: [UInt8] {
        var builder = tables.segment(0xDD, [0, 1]).frame(height: 80).scan()
        for row in 0..<10 {
            builder = builder.raw([0x3F])
            if row < 9 { builder = builder.raw([0xFF, 0xD0 + UInt8(row % 8)]) }
        }
        return builder.end
    }

    /// A Multi-Picture index that declares further pictures at offsets from its TIFF header.
    static func multiPicture(
        _ pictures: [(size: Int, offset: Int)], isLittleEndian: Bool = false
    ) -> [UInt8] {
        func number(_ value: Int, bytes: Int = 4) -> [UInt8] {
            let big = (0..<bytes).map { UInt8(value >> (8 * (bytes - 1 - $0)) & 255) }
            return isLittleEndian ? big.reversed() : big
        }
        let order: [UInt8] = isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]
        var bytes = Array("MPF\0".utf8) + order + number(0x2A, bytes: 2) + number(8) + number(1, bytes: 2)
        bytes += number(0xB002, bytes: 2) + number(7, bytes: 2) + number(16 * (pictures.count + 1)) + number(26)
        // No other directory, and the first picture's own entry.
        bytes += number(0) + number(0) + number(0) + number(0) + number(0)
        for (size, offset) in pictures { bytes += number(0) + number(size) + number(offset) + number(0) }
        return bytes
    }
}
