/// What the media of a capture may be; see the parts for their defaults.
public struct InspectionLimits: Sendable, Equatable {
    /// Bytes of the photo as uploaded; default 10 MiB.
    public var photoBytesMax: Int
    /// The photo's structure.
    public var photo: JPEGLimits
    /// The metadata.
    public var metadata: MetadataLimits
    /// The smallest share of depth values that must be measurements, from 0 to 1; default 0.5.
    public var measuredShareMin: Double
    /// When a depth map is one plane, or of something held up.
    public var plausibility: DepthPlausibilityLimits
    /// How long before its receipt a capture may have been taken: phones upload late; default 24 hours.
    public var ageMax: Duration
    /// How far a phone's clock may be ahead; default 5 minutes.
    public var leadMax: Duration

    /// Takes limits.
    public init(
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
