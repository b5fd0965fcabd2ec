package import AppAttest

extension Settings {
    /// The app ids whose devices are accepted; at least one.
    package func appIDs() throws(SettingsError) -> [AppID] {
        var ids: [AppID] = []
        for text in list(.appIDs) {
            guard let id = AppID(text) else {
                throw refusal(
                    of: .appIDs, "'\(text)' is no app id; it takes team and bundle, as in ABCDE12345.com.example.app")
            }
            ids.append(id)
        }
        guard !ids.isEmpty else { throw SettingsError("app.ids: not set; name at least one app id") }
        return ids
    }

    /// The App Attest environments whose keys are accepted; at least one.
    package func environments() throws(SettingsError) -> Set<AttestEnvironment> {
        var environments: Set<AttestEnvironment> = []
        for text in list(.appEnvironments) {
            guard let environment = AttestEnvironment(rawValue: text) else {
                throw refusal(
                    of: .appEnvironments, "'\(text)' is not an environment; it takes production, development")
            }
            environments.insert(environment)
        }
        guard !environments.isEmpty else { throw SettingsError("app.environments: not set; name at least one") }
        return environments
    }

    /// Apple's root of attestations and the configured ones.
    package func trustRoots() throws(SettingsError) -> [TrustRoot] {
        try [.appleAppAttestation] + configuredRoots()
    }

    /// Apple's root of receipts and the configured ones.
    package func receiptRoots() throws(SettingsError) -> [TrustRoot] {
        try [.appleRootG3] + configuredRoots()
    }

    private func configuredRoots() throws(SettingsError) -> [TrustRoot] {
        var roots: [TrustRoot] = []
        for path in list(.appRoots) {
            let pem = try Self.contents(of: path, namedBy: .appRoots)
            do throws(AttestationError) {
                roots.append(try TrustRoot(pem: pem))
            } catch {
                throw SettingsError(
                    "app.roots: \(path): must be exactly one certificate in PEM form, of an authority with a key of "
                        + "P-256, P-384 or P-521")
            }
        }
        return roots
    }
}
