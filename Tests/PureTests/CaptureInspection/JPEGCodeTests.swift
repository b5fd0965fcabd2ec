import CaptureInspection
import Testing

/// Tables and scans that no decoder takes (ITU T.81, sections B.2.3, C.2 and F.1.5.1), beside those that they take.
@Suite struct `A JPEG's codes` {
    private func refusal(_ photo: JPEGBuilder) -> JPEGError.Code? {
        let bytes = photo.end
        do throws(JPEGError) {
            _ = try JPEGWalker().walk(bytes.span)
            return nil
        } catch {
            return error.code
        }
    }

    /// A grey block whose tables are these.
    private func block(_ tables: (JPEGBuilder) -> JPEGBuilder) -> JPEGBuilder {
        tables(JPEGBuilder().quantization()).frame().scan().raw([0x3F])
    }

    @Test(arguments: [UInt8(0x00), 0x10])
    func `a Huffman table leaves the code that is all ones free`(selector: UInt8) {
        func table(_ counts: [UInt8]) -> JPEGError.Code? {
            let symbols = [UInt8](repeating: 0, count: counts.reduce(0) { $0 + Int($1) })
            return refusal(block { $0.huffman(0x00).huffman(0x10).huffman(selector, counts: counts, symbols: symbols) })
        }
        #expect(table([1, 1, 1]) == nil, "0, 10, 110")
        #expect(table([1, 1, 2]) == .malformed, "0, 10, 110, 111")
        #expect(table([2]) == .malformed)
        #expect(table([0, 3]) == nil && table([0, 4]) == .malformed)
        let longest = [UInt8](repeating: 1, count: 15)
        #expect(table(longest + [1]) == nil && table(longest + [2]) == .malformed, "codes of 16 bits")
    }

    @Test func `a category of DC is at most 15, and a symbol for AC any byte`() {
        func direct(_ symbol: UInt8) -> JPEGError.Code? {
            refusal(block { $0.huffman(0x00, symbol: symbol).huffman(0x10) })
        }
        #expect(direct(0) == nil && direct(15) == nil)
        #expect(direct(16) == .malformed && direct(255) == .malformed)
        #expect(refusal(block { $0.huffman(0x00).huffman(0x10, symbol: 0xFA) }) == nil)
    }

    @Test func `every symbol of every table in a segment is looked at`() {
        func twoTables(_ last: UInt8) -> JPEGBuilder {
            // Two codes of two bits.
            let counts: [UInt8] = [0, 2] + [UInt8](repeating: 0, count: 14)
            let alternating: [UInt8] = [0x10] + counts + [0xFA, 0xFA]
            let direct: [UInt8] = [0x00] + counts + [0, last]
            return block { $0.segment(0xC4, alternating + direct) }
        }
        #expect(refusal(twoTables(15)) == nil)
        #expect(refusal(twoTables(16)) == .malformed)
    }

    @Test(
        arguments: [
            ([0x22, 0x11, 0x11], nil), ([0x42, 0x11, 0x11], nil), ([0x42, 0x12, 0x11], .malformed),
            ([0x44, 0x44, 0x44], .malformed),
        ] as [([UInt8], JPEGError.Code?)])
    func `the components of one scan have ten blocks in a unit at most`(sampling: [UInt8], code: JPEGError.Code?) {
        let start = JPEGBuilder.tables.frame(sampling: sampling)
        #expect(refusal(start.scan([1, 2, 3]).raw([UInt8](repeating: 0x3F, count: 12))) == code)
        let apart = ([1, 2, 3] as [UInt8]).reduce(start) { $0.scan([$1]).raw([UInt8](repeating: 0x3F, count: 12)) }
        #expect(refusal(apart) == nil, "each by itself")
    }
}
