/// The limits on the media and metadata of a capture; see the parts for their defaults.
package struct InspectionLimits: Sendable, Equatable {
    /// Bytes of the photo as uploaded; default 10 MiB.
    package var photoBytesMax: Int
    /// Bytes of the depth map as uploaded; default 5 MiB.
    ///
    /// A larger one is never inspected: gateways, the queue and workers look at its size before.
    package var depthBytesMax: Int
    /// Limits on the photo's structure.
    package var photo: JPEGLimits
    /// Limits on the metadata.
    package var metadata: MetadataLimits
    /// The smallest share of depth values that must be measurements, from 0 to 1; default 0.5.
    package var measuredShareMin: Double
    /// How long before its receipt a capture may have been taken: phones upload late; default 24 hours.
    package var ageMax: Duration
    /// How far a phone's clock may be ahead; default 5 minutes.
    package var leadMax: Duration

    /// Bytes of the largest bundle: photo and depth map.
    package var bundleBytesMax: Int { photoBytesMax + depthBytesMax }

    /// Takes limits.
    package init(
        photoBytesMax: Int = 10 << 20, depthBytesMax: Int = 5 << 20, photo: JPEGLimits = JPEGLimits(),
        metadata: MetadataLimits = MetadataLimits(), measuredShareMin: Double = 0.5,
        ageMax: Duration = .seconds(86_400), leadMax: Duration = .seconds(300)
    ) {
        precondition(photoBytesMax > 0 && depthBytesMax > 0)
        precondition((0...1).contains(measuredShareMin) && ageMax >= .zero && leadMax >= .zero)
        self.photoBytesMax = photoBytesMax
        self.depthBytesMax = depthBytesMax
        self.photo = photo
        self.metadata = metadata
        self.measuredShareMin = measuredShareMin
        self.ageMax = ageMax
        self.leadMax = leadMax
    }
}
