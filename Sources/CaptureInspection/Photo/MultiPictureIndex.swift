/// The further pictures that a photo's Multi-Picture index declares (CIPA DC-007): previews, gain maps, depth.
///
/// The index is an APP2 segment `MPF\0` with a TIFF directory in it. An unreadable one declares nothing.
struct MultiPictureIndex {
    /// The places of the further pictures in the file, in the order of the index; not yet checked against its size.
    private(set) var images: [Range<Int>] = []

    /// More entries than any camera writes; bounds the work.
    private static let imagesMax = 32

    init?(_ photo: Span<UInt8>, _ payload: Range<Int>) {
        guard payload.count >= 12, photo.hasBytes(Array("MPF\0".utf8), at: payload.lowerBound) else { return nil }
        guard let tiff = TIFFReader(photo, payload.lowerBound + 4..<payload.upperBound),
            let directory = tiff.number32(photo, at: 4), let count = tiff.number16(photo, at: directory), count <= 64
        else { return nil }
        for entry in 0..<count {
            let place = directory + 2 + 12 * entry
            // MP Entry (B002): 16 bytes for each picture.
            guard tiff.number16(photo, at: place) == 0xB002, let length = tiff.number32(photo, at: place + 4),
                let table = tiff.number32(photo, at: place + 8)
            else { continue }
            for index in 0..<min(length / 16, Self.imagesMax) {
                guard let size = tiff.number32(photo, at: table + 16 * index + 4),
                    let offset = tiff.number32(photo, at: table + 16 * index + 8)
                else { return nil }
                // The first picture is the file itself and has offset 0; the others count from the TIFF header.
                guard offset > 0, size > 0 else { continue }
                images.append(tiff.base + offset..<tiff.base + offset + size)
            }
        }
    }
}
