import Testing

@testable import CaptureInspection

/// Several pictures behind a photo, as phones and cameras write them.
@Suite struct `Pictures that a photo's index declares` {
    /// A photo with others behind it, which its index declares in an order.
    private func walk(
        _ others: [[UInt8]], declared order: [Int], isLittleEndian: Bool = false
    ) throws -> JPEGStructure {
        func first(_ start: Int) -> [UInt8] {
            let places = order.map { number in
                (size: others[number].count, offset: start + others[..<number].reduce(0) { $0 + $1.count })
            }
            let index = JPEGBuilder.multiPicture(places, isLittleEndian: isLittleEndian)
            return JPEGBuilder().segment(0xE2, index).quantization().huffman(0x00).huffman(0x10)
                .frame().scan().raw([0x3F]).end
        }
        // The TIFF header comes after start of image, marker, length and `MPF\0`.
        let photo = first(first(0).count - 10) + others.flatMap(\.self)
        return try JPEGWalker().walk(photo.span)
    }

    @Test(arguments: [false, true])
    func `pictures that are declared belong to the photo, in either byte order`(isLittleEndian: Bool) throws {
        let others = [JPEGBuilder.baseline, JPEGBuilder.progressive]
        let structure = try walk(others, declared: [0, 1], isLittleEndian: isLittleEndian)
        #expect(structure.isPure && structure.trailing.bytes == others.reduce(0) { $0 + $1.count })
        #expect(
            try walk(others, declared: [0], isLittleEndian: isLittleEndian).trailing.foreignBytes == others[1].count)
    }

    @Test func `pictures that are declared may be so in any order`() throws {
        let others = [JPEGBuilder.baseline, JPEGBuilder.progressive, JPEGBuilder.restarts]
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] { #expect(try walk(others, declared: order).isPure, "\(order)") }
    }

    @Test func `pictures that are declared end with themselves, and with zeros`() throws {
        #expect(try walk([JPEGBuilder.baseline + [0, 0, 0]], declared: [0]).isPure)
        for more in [[1], [0, 0, 1], Array("PK".utf8)] as [[UInt8]] {
            let picture = JPEGBuilder.baseline + more
            let structure = try walk([picture], declared: [0])
            #expect(!structure.isPure && structure.trailing.foreignBytes == picture.count)
        }
    }
}
