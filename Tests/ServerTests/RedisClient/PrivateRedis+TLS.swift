import TestSupport

extension PrivateRedis {
    /// Starts a server that is reached by TLS, with a certificate of a private authority, for as long as a test takes.
    /// - Parameters:
    ///   - name: Which host the certificate is for, as openssl takes it: `DNS:localhost`.
    ///   - serverDays: How long it is valid; below 0 it has expired.
    ///   - asksForClient: Whether clients have to show a certificate as well.
    ///   - body: The test, which gets the certificates and the port.
    static func withTLS(
        name: String, serverDays: Int = 2, asksForClient: Bool = false,
        _ body: (TestCertificates, Int, PrivateRedis) async throws -> Void
    ) async throws {
        let files = try await TestCertificates.make(serverName: name, serverDays: serverDays)
        defer { files.remove() }
        let port = try FreePort.take()
        let server = try await PrivateRedis.start([
            "--tls-port", "\(port)", "--bind", "127.0.0.1", "--tls-cert-file", files.path("server.pem"),
            "--tls-key-file", files.path("server.key"), "--tls-ca-cert-file", files.path("ca.pem"),
            "--tls-auth-clients", asksForClient ? "yes" : "no",
        ])
        try await body(files, port, server)
    }
}
