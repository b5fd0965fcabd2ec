/// Walks over a JPEG from start of image to end of image, as ITU T.81 defines it, without decoding it.
///
/// It checks everything that a decoder relies on (segment lengths, frame, tables, scans, restart markers, enough
/// entropy-coded data for the dimensions) and applies the limits before anything decodes. It takes one pass over the
/// bytes.
///
/// ```swift
/// let structure = try JPEGWalker(limits: JPEGLimits()).walk(photo.readableBytesUInt8Span)
/// ```
package struct JPEGWalker: Sendable {
    private let limits: JPEGLimits

    /// Makes a walker with limits.
    package init(limits: JPEGLimits = JPEGLimits()) {
        self.limits = limits
    }

    /// Whether data start like a JPEG: start of image and the next marker.
    ///
    /// For the gateway, before the rest has arrived.
    package static func beginsAsJPEG(_ data: Span<UInt8>) -> Bool {
        data.hasBytes([0xFF, 0xD8, 0xFF], at: 0)
    }

    /// Walks over a whole photo and reads what follows it.
    ///
    /// - Throws: Where and why the photo is not a well-formed JPEG within the limits.
    package func walk(_ photo: Span<UInt8>) throws(JPEGError) -> JPEGStructure {
        var walk = JPEGWalk(limits: limits, start: 0)
        try walk.run(photo)
        let end = walk.position
        let (trailing, marks) = TrailingDataReader(limits: limits).read(photo, from: end, declared: walk.multiPicture)
        var polyglot = walk.polyglot.union(marks)
        if PolyglotMarks.hasPDFHeader(photo) { polyglot.insert(.pdf) }
        if PolyglotMarks.hasZIPDirectory(photo) { polyglot.insert(.zip) }
        guard let frame = walk.frame else { throw JPEGError(.malformed, at: end, "the picture has no frame") }
        return JPEGStructure(
            width: frame.width, height: frame.height, components: frame.components.count,
            precision: frame.precision, process: frame.process, scans: walk.scans,
            metadataBytes: walk.metadataBytes, trailing: trailing, polyglot: polyglot
        )
    }
}
