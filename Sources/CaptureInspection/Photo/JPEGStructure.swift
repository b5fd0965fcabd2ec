/// What walking over a JPEG found out about it, without decoding a pixel.
public struct JPEGStructure: Sendable, Equatable {
    /// How the picture is coded.
    public enum Process: String, Sendable {
        /// Sequential, Huffman (SOF0 and SOF1).
        case sequential
        /// Progressive, Huffman (SOF2).
        case progressive
    }

    /// Samples per line.
    public let width: Int
    /// Lines.
    public let height: Int
    /// Colour components: 1 (grey), 3 (YCbCr) or 4.
    public let components: Int
    /// Bits per sample: 8 or 12.
    public let precision: Int
    /// How the picture is coded.
    public let process: Process
    /// Number of scans.
    public let scans: Int
    /// Bytes in APPn and COM segments.
    public let metadataBytes: Int
    /// What is behind the end of image.
    public let trailing: JPEGTrailingData
    /// Which other kinds of file the photo could be taken for.
    public let polyglot: PolyglotMarks

    /// Whether the photo is a JPEG and nothing else: no foreign data behind it and no other format inside.
    public var isPure: Bool { trailing.foreignBytes == 0 && polyglot.isEmpty }
}

/// The bytes behind a JPEG's end of image.
public struct JPEGTrailingData: Sendable, Equatable {
    /// All of them.
    public let bytes: Int
    /// Those that are neither a picture that the Multi-Picture index (CIPA DC-007) declares nor a little padding.
    public let foreignBytes: Int
}
