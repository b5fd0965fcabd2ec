/// The bytes after a JPEG's end of image.
package struct JPEGTrailingData: Sendable, Equatable {
    /// The number of all these bytes.
    package let bytes: Int
    /// The number of bytes that are neither padding nor pictures declared by the Multi-Picture index (CIPA DC-007).
    package let foreignBytes: Int
}
