/// What a release of iOS writes into attestations and assertions.
public enum WireFormat: Sendable, Hashable, CaseIterable {
    /// Up to iOS 26: no extensions.
    case plain
    /// iOS 27 with the extension map and the ED flag set.
    case extensionsFlagged
    /// iOS 27 with the extension map, but the ED flag clear: the shape of Apple's own sample of 2026.
    case extensionsUnflagged

    /// The release that the leaf certificate names.
    public var systemVersion: String {
        switch self {
        case .plain: "26.3"
        case .extensionsFlagged, .extensionsUnflagged: "27.0"
        }
    }
}

/// The signed statements that iOS 27 adds about the app.
public struct AppExtensions: Sendable, Hashable {
    /// `apple_validation_category_01`: 2 TestFlight, 3 development, 4 App Store and so on.
    public var validationCategory: UInt32
    /// `apple_bundle_version_01`: CFBundleVersion.
    public var bundleVersion: String

    /// Memberwise; the defaults are those of an app from the App Store.
    public init(validationCategory: UInt32 = 4, bundleVersion: String = "1314") {
        self.validationCategory = validationCategory
        self.bundleVersion = bundleVersion
    }
}
