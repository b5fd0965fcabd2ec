/// The structure of a JPEG, found without decoding a pixel.
package struct JPEGStructure: Sendable, Equatable {
    /// How the picture is coded.
    package enum Process: String, Sendable {
        /// Sequential, Huffman (SOF0 and SOF1).
        case sequential
        /// Progressive, Huffman (SOF2).
        case progressive
    }

    /// Samples per line.
    package let width: Int
    /// Lines.
    package let height: Int
    /// Colour components: 1 (grey), 3 (YCbCr) or 4.
    package let components: Int
    /// Bits per sample: 8 or 12.
    package let precision: Int
    /// How the picture is coded.
    package let process: Process
    /// Number of scans.
    package let scans: Int
    /// Bytes in APPn, COM and table segments.
    package let metadataBytes: Int
    /// The bytes after the end of image.
    package let trailing: JPEGTrailingData
    /// The other file types that the photo could be taken for.
    package let polyglot: PolyglotMarks

    /// Whether the photo is only a JPEG: no foreign data after it and no other format inside.
    package var isPure: Bool { trailing.foreignBytes == 0 && polyglot.isEmpty }
}
