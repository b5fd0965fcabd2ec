import Foundation
import TestSupport

/// A certificate authority, a server and a client of it, made by the openssl program in a directory of their own.
struct TestCertificates {
    private let directory: URL

    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    func remove() { try? FileManager.default.removeItem(at: directory) }

    /// Puts another's file in the place of one, as programs do that renew certificates.
    func replace(_ name: String, by other: TestCertificates) throws {
        try Data(contentsOf: URL(filePath: other.path(name))).write(to: URL(filePath: path(name)), options: .atomic)
    }

    /// - Parameter serverDays: How long the server's certificate is valid; below 0 it has expired.
    static func make(serverName: String, serverDays: Int = 2) async throws -> TestCertificates {
        let files = TestCertificates(directory: try TemporaryDirectory.make("tls"))
        try await files.openssl(
            ["req", "-x509", "-days", "2", "-subj", "/CN=Test authority"] + files.newKey("ca.key")
                + ["-out", files.path("ca.pem")])
        try await files.issue("server", extensions: "subjectAltName=\(serverName)", days: serverDays)
        try await files.issue("client", extensions: "extendedKeyUsage=clientAuth")
        return files
    }

    private func newKey(_ name: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path(name)]
    }

    private func issue(_ name: String, extensions: String, days: Int = 2) async throws {
        try await openssl(
            ["req", "-subj", "/CN=\(name)"] + newKey("\(name).key") + ["-out", path("\(name).csr")])
        try extensions.write(toFile: path("\(name).ext"), atomically: true, encoding: .utf8)
        try await openssl([
            "x509", "-req", "-in", path("\(name).csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
            "-CAcreateserial", "-days", "\(days)", "-extfile", path("\(name).ext"), "-out", path("\(name).pem"),
        ])
    }

    private func openssl(_ arguments: [String]) async throws {
        _ = try await LeashedProcess.run("openssl", arguments)
    }
}
