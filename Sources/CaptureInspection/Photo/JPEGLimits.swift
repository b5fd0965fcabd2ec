/// Bounds on the work of decoding a JPEG, checked before anything decodes it.
package struct JPEGLimits: Sendable, Equatable {
    /// Width times height; default 64,000,000, above the 48 megapixels of current phones.
    package var pixelsMax: Int
    /// Segments before the end of image; default 1024.
    package var segmentsMax: Int
    /// Scans, of which a progressive photo has about ten; default 64.
    package var scansMax: Int
    /// Bytes in APPn, COM and table segments together; default 4 MiB.
    package var metadataBytesMax: Int
    /// Zero bytes after the end of image that count as padding and not as data; default 4096.
    ///
    /// No setting: it is part of the definition of `PHOTO_TRAILING_DATA`.
    package var paddingBytesMax: Int

    /// Takes limits; each must not be negative.
    package init(
        pixelsMax: Int = 64_000_000, segmentsMax: Int = 1024, scansMax: Int = 64,
        metadataBytesMax: Int = 4 << 20, paddingBytesMax: Int = 4096
    ) {
        precondition(pixelsMax > 0 && segmentsMax > 0 && scansMax > 0 && metadataBytesMax >= 0 && paddingBytesMax >= 0)
        self.pixelsMax = pixelsMax
        self.segmentsMax = segmentsMax
        self.scansMax = scansMax
        self.metadataBytesMax = metadataBytesMax
        self.paddingBytesMax = paddingBytesMax
    }
}
