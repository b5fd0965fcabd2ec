import AppAttest
import PostgresClient

extension Settings {
    /// The certificates for the servers and the roots of attestations that are named here.
    ///
    /// A root that cannot be read is left out: programs that need it do not start.
    package func namedCertificates() -> NamedCertificates {
        let record = DatabaseAddress(conninfo: required(.postgresURL)).certificateFiles
        let named = [
            (Setting.redisTLSRoots.key, text(.redisTLSRoots), true),
            (Setting.redisTLSCertificate.key, text(.redisTLSCertificate), false),
            ("sslrootcert in \(Setting.postgresURL.key)", record["sslrootcert"], true),
            ("sslcert in \(Setting.postgresURL.key)", record["sslcert"], false),
        ]
        return NamedCertificates(
            files: named.compactMap { setting, path, hasAuthorities in
                path.map { CertificateFile(setting: setting, path: $0, hasAuthorities: hasAuthorities) }
            },
            roots: list(.appRoots).compactMap { path in Self.root(in: path).map { (path: path, root: $0) } })
    }

    private static func root(in path: String) -> TrustRoot? {
        do { return try TrustRoot(pem: contents(of: path, namedBy: .appRoots)) } catch { return nil }
    }
}
