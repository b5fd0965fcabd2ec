package import CaptureModel

extension TrustedKeys {
    /// Names the attested keys that a configuration trusts.
    /// - Parameters:
    ///   - apps: The apps whose keys are trusted.
    ///   - environments: The App Attest environments whose keys are trusted.
    ///   - trustRoots: SHA-256 of the roots, each as 64 lower-case hexadecimal digits.
    package init(apps: [AppID], environments: Set<AttestEnvironment>, trustRoots: Set<String>) {
        self.init(
            appIDs: Set(apps.map(\.text)), environments: Set(environments.map { KeyEnvironment($0) }),
            trustRoots: trustRoots)
    }
}

extension AttestEnvironment {
    /// The App Attest environment of a word of the record.
    package init(_ environment: KeyEnvironment) {
        switch environment {
        case .production: self = .production
        case .development: self = .development
        }
    }
}
