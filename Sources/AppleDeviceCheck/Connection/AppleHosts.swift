import CaptureModel

/// Where one of Apple's services is, for each environment: `https://host`, without a path.
public struct AppleHosts: Sendable, Equatable {
    /// For shipped apps.
    public var production: String
    /// For development builds.
    public var development: String

    /// Where receipts are exchanged.
    public static let receipts = AppleHosts(
        production: "https://data.appattest.apple.com", development: "https://data-development.appattest.apple.com")
    /// Where the two bits of devices are read and set.
    public static let deviceCheck = AppleHosts(
        production: "https://api.devicecheck.apple.com",
        development: "https://api.development.devicecheck.apple.com")

    /// Takes hosts in place of Apple's.
    public init(production: String, development: String) {
        self.production = production
        self.development = development
    }

    /// The host of an environment.
    subscript(environment: KeyEnvironment) -> String {
        switch environment {
        case .production: production
        case .development: development
        }
    }
}
