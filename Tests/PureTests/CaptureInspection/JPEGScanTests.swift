import Testing

@testable import CaptureInspection

/// Frames, scans and their tables that no decoder takes (ITU T.81, sections B.2.2 to B.2.4 and G.1.1.1), beside those
/// that they take.
@Suite struct `A JPEG's frame and scans` {
    private func refusal(_ photo: JPEGBuilder, limits: JPEGLimits = JPEGLimits()) -> JPEGError.Code? {
        let bytes = photo.end
        do throws(JPEGError) {
            _ = try JPEGWalker(limits: limits).walk(bytes.span)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        arguments: [
            (0xC0, 8, nil), (0xC1, 8, nil), (0xC1, 12, nil), (0xC0, 12, .malformed), (0xC1, 16, .malformed),
        ] as [(UInt8, UInt8, JPEGError.Code?)])
    func `samples have 8 bits, and 12 where the frame is not baseline`(
        marker: UInt8, precision: UInt8, code: JPEGError.Code?
    ) {
        let frame = JPEGBuilder.tables.frame(marker, sampling: [0x11], precision: precision)
        #expect(refusal(frame.scan().raw([0x3F])) == code)
    }

    @Test(
        arguments: [
            (0x11, nil), (0x41, nil), (0x14, nil), (0x01, .malformed), (0x10, .malformed), (0x51, .malformed),
            (0x15, .malformed),
        ] as [(UInt8, JPEGError.Code?)])
    func `a sampling factor is 1 to 4`(sampling: UInt8, code: JPEGError.Code?) {
        #expect(refusal(JPEGBuilder.tables.frame(sampling: [sampling]).scan().raw([0x3F])) == code)
    }

    @Test(
        arguments: [
            (0x00, nil), (0x0D, nil), (0x0E, .malformed), (0x0F, .malformed),
        ] as [(UInt8, JPEGError.Code?)])
    func `a first scan leaves 13 bits to later ones at most`(bits: UInt8, code: JPEGError.Code?) {
        #expect(refusal(JPEGBuilder.tables.frame(0xC2).scan(band: 0...0, bits: bits).raw([0x7F])) == code)
    }

    @Test(
        arguments: [
            (0x10, nil), (0x21, nil), (0x11, .malformed), (0x20, .malformed), (0xED, .malformed),
        ] as [(UInt8, JPEGError.Code?)])
    func `a refining scan adds one bit`(bits: UInt8, code: JPEGError.Code?) {
        let first = JPEGBuilder.tables.frame(0xC2).scan(band: 0...0, bits: 0x02).raw([0x7F])
        #expect(refusal(first.scan(band: 0...0, bits: bits).raw([0x7F])) == code)
    }

    @Test func `a progressive scan has one component, or nothing but the first coefficient of each`() {
        let first = JPEGBuilder.tables.frame(0xC2, components: 3).scan([1, 2, 3], band: 0...0).raw([0x7F])
        #expect(refusal(first) == nil)
        #expect(refusal(first.scan([1], band: 1...63).raw([0x7F])) == nil)
        #expect(refusal(first.scan([1, 2], band: 1...63).raw([0x7F])) == .malformed)
        #expect(refusal(first.scan([1], band: 0...63).raw([0x7F])) == .malformed)
    }

    @Test(
        arguments: [
            (0...63, 0x00, nil), (0...63, 0x01, .malformed), (0...63, 0x10, .malformed), (0...5, 0x00, .malformed),
            (1...63, 0x00, .malformed),
        ] as [(ClosedRange<UInt8>, UInt8, JPEGError.Code?)])
    func `a sequential scan has all coefficients with all their bits`(
        band: ClosedRange<UInt8>, bits: UInt8, code: JPEGError.Code?
    ) {
        #expect(refusal(JPEGBuilder.tables.frame().scan(band: band, bits: bits).raw([0x3F])) == code)
    }

    /// Decoders show such a picture grey, or not at all.
    @Test func `a picture without the first coefficients of each component is none`() {
        let frame = JPEGBuilder.tables.frame(0xC2)
        #expect(refusal(frame.scan(band: 1...63).raw([0x7F])) == .malformed)
        #expect(refusal(frame.scan(band: 0...0, bits: 0x10).raw([0x7F])) == .malformed)
        #expect(refusal(frame.scan(band: 0...0).raw([0x7F])) == nil)
    }

    @Test func `a scan has the tables that it needs, and no others`() {
        let start = JPEGBuilder().quantization()
        #expect(refusal(start.huffman(0x00).frame().scan().raw([0x3F])) == .malformed, "none for AC")
        #expect(refusal(start.huffman(0x10).frame().scan().raw([0x3F])) == .malformed, "none for DC")
        #expect(refusal(start.huffman(0x00).frame(0xC2).scan(band: 0...0).raw([0x7F])) == nil)
    }

    @Test(
        arguments: [
            (0x00, 64, nil), (0x03, 64, nil), (0x10, 128, nil), (0x10, 64, .malformed), (0x00, 128, .malformed),
            (0x04, 64, .malformed), (0x20, 192, .malformed),
        ] as [(UInt8, Int, JPEGError.Code?)])
    func `a quantization table is one of four, of 8 or 16 bits`(first: UInt8, bytes: Int, code: JPEGError.Code?) {
        let table = [first] + [UInt8](repeating: 0xFF, count: bytes)
        #expect(refusal(JPEGBuilder.tables.segment(0xDB, table).frame().scan().raw([0x3F])) == code)
    }

    @Test(
        arguments: [
            (0x03, nil), (0x13, nil), (0x04, .malformed), (0x14, .malformed), (0x20, .malformed),
        ] as [(UInt8, JPEGError.Code?)])
    func `a Huffman table is one of four of each kind`(selector: UInt8, code: JPEGError.Code?) {
        #expect(refusal(JPEGBuilder.tables.huffman(selector).frame().scan().raw([0x3F])) == code)
    }

    @Test func `a Huffman table has a code`() {
        let empty = JPEGBuilder.tables.huffman(0x01, counts: [0], symbols: [])
        #expect(refusal(empty.frame().scan().raw([0x3F])) == .malformed)
    }

    @Test(
        arguments: [([], .malformed), ([0], .malformed), ([0, 0], nil), ([0, 0, 0], .malformed)]
            as [([UInt8], JPEGError.Code?)])
    func `a restart interval has two bytes`(interval: [UInt8], code: JPEGError.Code?) {
        #expect(refusal(JPEGBuilder.tables.segment(0xDD, interval).frame().scan().raw([0x3F])) == code)
    }

    @Test func `the limits of a walk are the last that is taken`() {
        let photo = JPEGBuilder.tables.segment(0xFE, [1, 2, 3]).frame().scan().raw([0x3F])
        #expect(refusal(photo, limits: JPEGLimits(pixelsMax: 64)) == nil)
        #expect(refusal(photo, limits: JPEGLimits(segmentsMax: 6)) == nil)
        #expect(refusal(photo, limits: JPEGLimits(scansMax: 1)) == nil)
        let twice = JPEGBuilder.tables.frame().scan().raw([0x3F]).scan().raw([0x3F])
        #expect(refusal(twice, limits: JPEGLimits(scansMax: 2)) == nil)
        #expect(refusal(twice, limits: JPEGLimits(scansMax: 1)) == .limitExceeded)
    }
}
