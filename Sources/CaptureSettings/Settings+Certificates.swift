import AppAttest
import PostgresClient

extension Settings {
    /// The certificates for the servers and the roots of attestations that are named here.
    ///
    /// A root that cannot be read is left out: programs that need it do not start.
    package func namedCertificates() -> NamedCertificates {
        let redis = [(Setting.redisTLSRoots, true), (Setting.redisTLSCertificate, false)].compactMap {
            (setting, hasAuthorities) -> CertificateFile? in
            text(setting).map { CertificateFile(setting: setting.key, path: $0, hasAuthorities: hasAuthorities) }
        }
        return NamedCertificates(
            files: redis + recordCertificates(),
            roots: list(.appRoots).compactMap { path in Self.root(in: path).map { (path: path, root: $0) } })
    }

    private func recordCertificates() -> [CertificateFile] {
        let record = DatabaseAddress(conninfo: required(.postgresURL))
        // libpq goes on without TLS then.
        let isOptional = ["allow", "prefer"].contains(record.sslMode)
        return [("sslrootcert", true), ("sslcert", false)].compactMap { keyword, hasAuthorities in
            guard let path = record.certificateFiles[keyword] else { return nil }
            var file = CertificateFile(
                setting: "\(keyword) in \(Setting.postgresURL.key)", path: path, hasAuthorities: hasAuthorities)
            if isOptional { file.consequence = "new connections are made without TLS from then on" }
            return file
        }
    }

    private static func root(in path: String) -> TrustRoot? {
        do { return try TrustRoot(pem: contents(of: path, namedBy: .appRoots)) } catch { return nil }
    }
}
