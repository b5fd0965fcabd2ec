/// Reads numbers of a TIFF structure in its byte order, never outside it.
struct TIFFReader {
    /// Where the TIFF header is in the file; offsets count from here.
    let base: Int
    private let end: Int
    private let isLittleEndian: Bool

    /// `nil` unless a TIFF header is there.
    init?(_ photo: Span<UInt8>, _ range: Range<Int>) {
        base = range.lowerBound
        end = range.upperBound
        if photo.hasBytes([0x49, 0x49, 0x2A, 0x00], at: base) {
            isLittleEndian = true
        } else if photo.hasBytes([0x4D, 0x4D, 0x00, 0x2A], at: base) {
            isLittleEndian = false
        } else {
            return nil
        }
    }

    func number16(_ photo: Span<UInt8>, at offset: Int) -> Int? { number(photo, at: offset, bytes: 2) }

    func number32(_ photo: Span<UInt8>, at offset: Int) -> Int? { number(photo, at: offset, bytes: 4) }

    private func number(_ photo: Span<UInt8>, at offset: Int, bytes: Int) -> Int? {
        guard offset >= 0, offset <= end - base - bytes else { return nil }
        return (0..<bytes).reduce(0) { sum, index in
            sum << 8 | Int(photo[base + offset + (isLittleEndian ? bytes - 1 - index : index)])
        }
    }
}
