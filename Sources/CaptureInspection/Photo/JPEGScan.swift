/// The header of one scan (ITU T.81 section B.2.3), checked against the frame and the tables before it.
struct JPEGScan {
    /// Indices into the frame's components.
    let components: [Int]
    /// Whether the scan carries the components' direct (DC) coefficients for the first time.
    let startsComponents: Bool
    /// The fewest bits that the scan's entropy-coded data can have; 0 where no bound is known.
    let bitsMin: Int

    /// The most blocks that components have together in one unit of an interleaved scan (section B.2.3).
    private static let blocksPerUnitMax = 10

    init(
        _ photo: Span<UInt8>, _ payload: Range<Int>, frame: JPEGFrame, tables: JPEGTables
    ) throws(JPEGError) {
        let start = payload.lowerBound
        func malformed(_ message: String) -> JPEGError { JPEGError(.malformed, at: start, message) }

        guard let count = payload.isEmpty ? nil : Int(photo[start]), (1...4).contains(count),
            count <= frame.components.count, payload.count == 4 + 2 * count
        else { throw malformed("the number of components in a scan does not fit") }
        let spectral = photo[payload.upperBound - 3]...max(photo[payload.upperBound - 3], photo[payload.upperBound - 2])
        let (high, low) = (photo[payload.upperBound - 1] >> 4, photo[payload.upperBound - 1] & 15)
        guard spectral.upperBound == photo[payload.upperBound - 2], spectral.upperBound <= 63 else {
            throw malformed("a scan's band is not allowed")
        }
        let isProgressive = frame.process == .progressive
        if isProgressive {
            // Section G.1.1.1.1: direct coefficients alone, or alternating ones of a single component.
            guard spectral.lowerBound == 0 ? spectral.upperBound == 0 : count == 1, low <= 13, high <= 13,
                high == 0 || low + 1 == high
            else { throw malformed("a progressive scan's parameters are not allowed") }
        } else {
            guard spectral == 0...63, high == 0, low == 0 else {
                throw malformed("a sequential scan's parameters are not allowed")
            }
        }
        let hasDirect = spectral.lowerBound == 0
        let needsDirect = hasDirect && high == 0
        let needsAlternating = spectral.upperBound > 0
        var indices: [Int] = []
        for number in 0..<count {
            let place = start + 1 + 2 * number
            guard let index = frame.components.firstIndex(where: { $0.identifier == photo[place] }),
                indices.last.map({ $0 < index }) ?? true
            else { throw malformed("a scan names a component that is not the frame's") }
            guard tables.quantization.contains(frame.components[index].quantizationTable),
                !needsDirect || tables.directHuffman.contains(Int(photo[place + 1] >> 4)),
                !needsAlternating || tables.alternatingHuffman.contains(Int(photo[place + 1] & 15))
            else { throw malformed("a scan uses a table that is not defined") }
            indices.append(index)
        }
        guard count == 1 || indices.reduce(0, { $0 + frame.components[$1].blocksPerUnit }) <= Self.blocksPerUnitMax
        else { throw malformed("a scan of several components has too many blocks in a unit") }
        components = indices
        startsComponents = needsDirect
        // Each block has at least one bit per code: two in a sequential scan (DC, end of block), one for DC alone.
        let bitsPerBlock = isProgressive ? (hasDirect ? 1 : 0) : 2
        bitsMin = bitsPerBlock * indices.reduce(0) { $0 + frame.blocks(of: frame.components[$1]) }
    }
}
