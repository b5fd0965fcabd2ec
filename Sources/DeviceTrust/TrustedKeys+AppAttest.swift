package import AppAttest
package import CaptureModel

extension TrustedKeys {
    /// Names which attested keys a configuration takes.
    /// - Parameters:
    ///   - apps: The apps whose keys are taken.
    ///   - environments: The App Attest environments whose keys are taken.
    ///   - trustRoots: SHA-256 of the roots, each as 64 lower-case hexadecimal digits.
    package init(apps: [AppID], environments: Set<AttestEnvironment>, trustRoots: Set<String>) {
        self.init(
            appIDs: Set(apps.map(\.text)), environments: Set(environments.map { KeyEnvironment($0) }),
            trustRoots: trustRoots)
    }
}

extension KeyEnvironment {
    /// The record's word for an environment of App Attest.
    package init(_ environment: AttestEnvironment) {
        switch environment {
        case .production: self = .production
        case .development: self = .development
        }
    }
}

extension AttestEnvironment {
    /// The environment of App Attest that the record has a word for.
    package init(_ environment: KeyEnvironment) {
        switch environment {
        case .production: self = .production
        case .development: self = .development
        }
    }
}
