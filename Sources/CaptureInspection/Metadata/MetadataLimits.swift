/// The limits on a capture's metadata.
package struct MetadataLimits: Sendable, Equatable {
    /// Bytes of JSON; default 16 KiB.
    package var bytesMax = 16 << 10
    /// How deep objects and arrays may be nested; default 8, which the API defines and no setting changes.
    package var depthMax = 8
    /// Bytes of the device model's name; default 64, the limit of registrations, which no setting changes.
    package var modelBytesMax = 64
    /// Values of the declared depth map, width times height; default 1,310,720 (5 MiB as 32-bit numbers).
    ///
    /// The programs allow more when `capture.depthBytesMax` is larger.
    package var depthValuesMax = 1_310_720

    /// Takes the defaults.
    package init() {}
}
