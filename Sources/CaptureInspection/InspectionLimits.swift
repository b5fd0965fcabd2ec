/// The limits on the media and metadata of a capture; see the parts for their defaults.
package struct InspectionLimits: Sendable, Equatable {
    /// Bytes of the photo as uploaded; default 10 MiB.
    package var photoBytesMax: Int
    /// Limits on the photo's structure.
    package var photo: JPEGLimits
    /// Limits on the metadata.
    package var metadata: MetadataLimits
    /// The smallest share of depth values that must be measurements, from 0 to 1; default 0.5.
    package var measuredShareMin: Double
    /// When a depth map is one plane, or one of something held up.
    package var plausibility: DepthPlausibilityLimits
    /// How long before its receipt a capture may have been taken: phones upload late; default 24 hours.
    package var ageMax: Duration
    /// How far a phone's clock may be ahead; default 5 minutes.
    package var leadMax: Duration

    /// Takes limits.
    package init(
        photoBytesMax: Int = 10 << 20, photo: JPEGLimits = JPEGLimits(), metadata: MetadataLimits = MetadataLimits(),
        measuredShareMin: Double = 0.5, plausibility: DepthPlausibilityLimits = DepthPlausibilityLimits(),
        ageMax: Duration = .seconds(86_400), leadMax: Duration = .seconds(300)
    ) {
        precondition(photoBytesMax > 0 && (0...1).contains(measuredShareMin) && ageMax >= .zero && leadMax >= .zero)
        self.photoBytesMax = photoBytesMax
        self.photo = photo
        self.metadata = metadata
        self.measuredShareMin = measuredShareMin
        self.plausibility = plausibility
        self.ageMax = ageMax
        self.leadMax = leadMax
    }
}
