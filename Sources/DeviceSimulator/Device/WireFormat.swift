/// The format of attestations and assertions in a release of iOS.
package enum WireFormat: Sendable, Hashable, CaseIterable {
    /// Up to iOS 26: no extensions.
    case plain
    /// iOS 27 with the extension map and the ED flag set.
    case extensionsFlagged
    /// iOS 27 with the extension map, but the ED flag clear: the shape of Apple's own sample of 2026.
    case extensionsUnflagged

    /// The release that the leaf certificate names.
    package var systemVersion: String {
        switch self {
        case .plain: "26.3"
        case .extensionsFlagged, .extensionsUnflagged: "27.0"
        }
    }
}

/// The signed statements that iOS 27 adds about the app.
package struct AppExtensions: Sendable, Hashable {
    /// `apple_validation_category_01`: 2 TestFlight, 3 development, 4 App Store and so on.
    package var validationCategory: UInt32
    /// `apple_bundle_version_01`: CFBundleVersion.
    package var bundleVersion: String

    /// Memberwise; the defaults are those of an app from the App Store.
    package init(validationCategory: UInt32 = 4, bundleVersion: String = "1314") {
        self.validationCategory = validationCategory
        self.bundleVersion = bundleVersion
    }
}
