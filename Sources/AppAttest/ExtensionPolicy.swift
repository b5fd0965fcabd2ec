/// What the signed extensions of iOS 27 must say, where they are present.
///
/// Systems before iOS 27 send no extensions, and an app cannot add them: their absence is never refused.
public struct ExtensionPolicy: Hashable, Sendable {
    /// The validation categories taken (3 development, 2 TestFlight, 4 App Store, …); `nil` takes any.
    public var validationCategories: Set<Int>?
    /// The lowest bundle version (CFBundleVersion) taken, as numbers with dots between them; `nil` takes any.
    public var bundleVersionMinimum: String?

    /// Creates a policy that takes everything unless told otherwise.
    public init(validationCategories: Set<Int>? = nil, bundleVersionMinimum: String? = nil) {
        self.validationCategories = validationCategories
        self.bundleVersionMinimum = bundleVersionMinimum
    }

    /// The first rule that extensions break.
    enum Violation: Error {
        case category
        case bundleVersion
    }

    func check(_ extensions: AuthenticatorExtensions) throws(Violation) {
        if let validationCategories, extensions.hasValidationCategory {
            guard let category = extensions.validationCategory, validationCategories.contains(category) else {
                throw .category
            }
        }
        if let bundleVersionMinimum, let version = extensions.bundleVersion {
            guard let least = Self.numbers(bundleVersionMinimum), let numbers = Self.numbers(version),
                !Self.precedes(numbers, least)
            else { throw .bundleVersion }
        }
    }

    /// The numbers of a version such as `1.20.3`; nil for any other text.
    private static func numbers(_ version: String) -> [UInt64]? {
        var numbers: [UInt64] = []
        for part in version.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard let digits = String(part), let first = digits.utf8.first, first != UInt8(ascii: "+"),
                let number = UInt64(digits)
            else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// Compares as versions: number by number, missing ones being zero.
    private static func precedes(_ one: [UInt64], _ other: [UInt64]) -> Bool {
        for index in 0..<max(one.count, other.count) {
            let left = index < one.count ? one[index] : 0
            let right = index < other.count ? other[index] : 0
            if left != right { return left < right }
        }
        return false
    }
}
