import Foundation
import PostgresClient
import TestSupport
import Testing

@Suite("PostgreSQL over TLS", .timeLimit(.minutes(2)))
struct PostgresTLSTests {
    @Test func `the server's name is checked`() async throws {
        let folder = try TemporaryDirectory.make("pgtls")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.path + "/server.key", folder.path + "/server.crt")
        let made = try await LeashedProcess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
            ]
        )
        #expect(made.exitCode == 0, "\(made.output)")
        // PostgreSQL takes a key only from its own user, and only when nobody else can read it.
        if geteuid() == 0 { _ = try await LeashedProcess.run("chown", ["postgres", key]) }
        _ = try await LeashedProcess.run("chmod", ["600", key])
        let port = try FreePort.take()
        // By address as well, whichever one the name has.
        let server = try await PrivatePostgres.start([
            "listen_addresses=localhost,127.0.0.1", "port=\(port)", "ssl=on", "ssl_cert_file=\(certificate)",
            "ssl_key_file=\(key)",
        ])
        let rest = "port=\(port) user=capture dbname=postgres sslmode=verify-full sslrootcert=\(certificate)"
        try await withClient("host=localhost \(rest)") { client in try await client.ping() }
        try await withClient("host=127.0.0.1 \(rest)") { client in
            let fault = await #expect(throws: PostgresError(.connection, "")) { try await client.ping() }
            #expect(fault?.message.contains("does not match host name") == true, "\(fault as Any)")
        }
        try await server.stop()
    }
}
