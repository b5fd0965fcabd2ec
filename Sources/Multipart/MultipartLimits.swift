/// Bounds on the work of parsing a `multipart/form-data` body, apart from the sizes of its parts.
///
/// The caller limits the sizes of the parts: it knows the limit of each, and sees every byte.
package struct MultipartLimits: Sendable, Equatable {
    /// Bytes of one part's headers, line ends included; default 4096.
    package var headerBytesMax: Int
    /// Parts of one body; default 16.
    package var partsMax: Int
    /// Parameters of one header; default 8.
    package var parametersMax: Int
    /// Bytes before the first boundary and, separately, after the last one; default 1024.
    package var surroundingBytesMax: Int

    /// Takes limits; each must be positive.
    package init(
        headerBytesMax: Int = 4096, partsMax: Int = 16, parametersMax: Int = 8, surroundingBytesMax: Int = 1024
    ) {
        precondition(headerBytesMax > 0 && partsMax > 0 && parametersMax > 0 && surroundingBytesMax > 0)
        self.headerBytesMax = headerBytesMax
        self.partsMax = partsMax
        self.parametersMax = parametersMax
        self.surroundingBytesMax = surroundingBytesMax
    }
}
