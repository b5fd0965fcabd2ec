public import AppAttest
public import CaptureModel

extension TrustedKeys {
    /// Puts together which attested keys a configuration takes.
    /// - Parameters:
    ///   - apps: The apps whose keys are taken.
    ///   - environments: The App Attest environments whose keys are taken.
    ///   - trustRoots: SHA-256 of the roots, each as 64 lower-case hexadecimal digits.
    public init(apps: [AppID], environments: Set<AppAttest.AttestEnvironment>, trustRoots: Set<String>) {
        self.init(
            appIDs: Set(apps.map(\.text)), environments: Set(environments.map { CaptureModel.AttestEnvironment($0) }),
            trustRoots: trustRoots)
    }
}

extension CaptureModel.AttestEnvironment {
    /// The record's word for an environment of App Attest.
    public init(_ environment: AppAttest.AttestEnvironment) {
        switch environment {
        case .production: self = .production
        case .development: self = .development
        }
    }
}

extension AppAttest.AttestEnvironment {
    /// The environment of App Attest that the record has a word for.
    public init(_ environment: CaptureModel.AttestEnvironment) {
        switch environment {
        case .production: self = .production
        case .development: self = .development
        }
    }
}
