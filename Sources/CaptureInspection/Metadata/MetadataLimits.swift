/// The limits on a capture's metadata.
package struct MetadataLimits: Sendable, Equatable {
    /// Bytes of JSON; default 16 KiB.
    package var bytesMax: Int
    /// How deep objects and arrays may be nested; default 8, which the API defines and no setting changes.
    package var depthMax: Int
    /// Bytes of the device model's name; default 64, the limit of registrations, which no setting changes.
    package var modelBytesMax: Int
    /// Values of the declared depth map, width times height; default 1,310,720 (5 MiB as 32-bit numbers).
    ///
    /// The programs allow more when `capture.depthBytesMax` is larger.
    package var depthValuesMax: Int

    /// Takes limits; each must be positive.
    package init(
        bytesMax: Int = 16 << 10, depthMax: Int = 8, modelBytesMax: Int = 64, depthValuesMax: Int = 1_310_720
    ) {
        precondition(bytesMax > 0 && depthMax > 0 && modelBytesMax > 0 && depthValuesMax > 0)
        self.bytesMax = bytesMax
        self.depthMax = depthMax
        self.modelBytesMax = modelBytesMax
        self.depthValuesMax = depthValuesMax
    }
}
