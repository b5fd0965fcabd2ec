/// Writes the segments of a baseline JPEG file (T.81 Annex B, JFIF 1.02, Exif 2.3).
struct JPEGFile {
    /// The size of the smallest comment segment: an empty one.
    static let paddingMin = 4

    private(set) var bytes: [UInt8]

    /// Starts a file: SOI, the JFIF header and an Exif segment with the camera's names.
    init(model: String) {
        bytes = [0xFF, 0xD8]
        segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0, 0])
        segment(0xE1, Self.exif(make: "Device Simulator", model: model))
    }

    /// Appends comment segments with exactly `count` bytes in all: 0, or at least ``paddingMin``.
    mutating func pad(_ count: Int) {
        var left = count
        while left > 0 {
            // The rest must again have room for at least an empty segment.
            let size = left <= 65_537 ? left : min(65_537, left - Self.paddingMin)
            segment(0xFE, [UInt8](repeating: UInt8(ascii: " "), count: size - Self.paddingMin))
            left -= size
        }
    }

    /// Appends the tables and headers that precede the scan: DQT, SOF0 with 4:2:0 sampling, DHT and SOS.
    mutating func header(width: Int, height: Int) {
        segment(0xDB, [0] + QuantizationTable.luminance.values + [1] + QuantizationTable.chrominance.values)
        segment(
            0xC0,
            [8] + Self.word(height) + Self.word(width) + [3] + [1, 0x22, 0] + [2, 0x11, 1] + [3, 0x11, 1]
        )
        var tables: [UInt8] = []
        let all: [(UInt8, HuffmanTable)] = [
            (0x00, .luminanceDC), (0x10, .luminanceAC), (0x01, .chrominanceDC), (0x11, .chrominanceAC),
        ]
        for (slot, table) in all { tables += [slot] + table.counts + table.symbols }
        segment(0xC4, tables)
        segment(0xDA, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0])
    }

    /// Appends the coded scan and ends the file.
    mutating func finish(scan: [UInt8]) {
        bytes += scan
        bytes += [0xFF, 0xD9]
    }

    private mutating func segment(_ marker: UInt8, _ content: [UInt8]) {
        bytes += [0xFF, marker] + Self.word(content.count + 2) + content
    }

    private static func word(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    /// A big-endian TIFF directory with Make, Model and Orientation.
    private static func exif(make: String, model: String) -> [UInt8] {
        let texts = [Array("\(make)\0".utf8), Array("\(model)\0".utf8)]
        // Header (8), count (2), three entries of 12, offset of the next directory (4); then the texts.
        let first = 8 + 2 + 3 * 12 + 4
        func long(_ value: Int) -> [UInt8] { word(value >> 16) + word(value) }
        // A text of up to four bytes would be stored in the entry itself; padding makes these longer.
        let padded = texts.map { $0 + [UInt8](repeating: 0, count: max(0, 5 - $0.count)) }
        var directory = word(3)
        directory += word(0x010F) + word(2) + long(padded[0].count) + long(first)
        directory += word(0x0110) + word(2) + long(padded[1].count) + long(first + padded[0].count)
        directory += word(0x0112) + word(3) + long(1) + word(1) + word(0)
        return Array("Exif\0\0MM\0".utf8) + [42] + long(8) + directory + long(0) + padded[0] + padded[1]
    }
}
