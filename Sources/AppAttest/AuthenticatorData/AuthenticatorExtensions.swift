import CBOR

/// The statements about the app that iOS 27 and later sign: a map at the end of authenticator data.
///
/// Unknown keys are passed over: they are signed, but nothing is known about their meaning.
public struct AuthenticatorExtensions: Hashable, Sendable {
    /// How the app was distributed, as Apple numbers it (4 is the App Store); `nil` when absent or not a number.
    public let validationCategory: Int?
    /// The app's CFBundleVersion; `nil` when absent, not a text, or one with U+0000.
    public let bundleVersion: String?
    /// The bundle version parsed for comparison; `nil` when absent or no version.
    public let comparableBundleVersion: DottedVersion?
    /// Whether a validation category was there at all, readable or not.
    let hasValidationCategory: Bool
    /// Whether a bundle version was there at all, readable or not.
    let hasBundleVersion: Bool

    /// Reads the map; `nil` when the item is not one.
    init?(_ value: CBORValue) {
        guard case .map = value else { return nil }
        let category = value["apple_validation_category_01"]
        self.hasValidationCategory = category != nil
        self.validationCategory = category.flatMap(Self.category)
        let version = value["apple_bundle_version_01"]
        self.hasBundleVersion = version != nil
        let bundleVersion = version?.text?.storable
        self.bundleVersion = bundleVersion
        self.comparableBundleVersion = bundleVersion.flatMap(DottedVersion.init)
    }

    /// A byte string of up to four bytes, little-endian, as devices send it; or an integer, as Apple documents it.
    private static func category(_ value: CBORValue) -> Int? {
        guard let bytes = value.bytes else { return value.integer }
        guard (1...4).contains(bytes.count) else { return nil }
        return Int(bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
}
