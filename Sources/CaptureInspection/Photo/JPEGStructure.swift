/// What walking over a JPEG found out about it, without decoding a pixel.
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
    /// Bytes in APPn and COM segments.
    package let metadataBytes: Int
    /// What is behind the end of image.
    package let trailing: JPEGTrailingData
    /// Which other kinds of file the photo could be taken for.
    package let polyglot: PolyglotMarks

    /// Whether the photo is a JPEG and nothing else: no foreign data behind it and no other format inside.
    package var isPure: Bool { trailing.foreignBytes == 0 && polyglot.isEmpty }
}

/// The bytes behind a JPEG's end of image.
package struct JPEGTrailingData: Sendable, Equatable {
    /// All of them.
    package let bytes: Int
    /// Those that are neither a picture that the Multi-Picture index (CIPA DC-007) declares nor a little padding.
    package let foreignBytes: Int
}
