import DeviceSimulator
import Foundation
import SwiftASN1
import Testing
import X509

@Suite struct `The test certificate authority` {
    private let moment = Date(timeIntervalSince1970: 1_790_000_000)

    @Test func `the test certificate authority survives its own PEM`() throws {
        let authority = try TestCertificateAuthority(at: moment)
        let again = try TestCertificateAuthority(pem: authority.pem)
        #expect(try again.rootPEM == authority.rootPEM && again.pem == authority.pem)
    }

    @Test func `the test certificate authority is made once per directory, with keys for their owner only`() throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("authority-\(UInt64.random(in: 0 ... .max))").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let made = try TestCertificateAuthority.loadOrCreate(directory: directory, at: moment)
        let found = try TestCertificateAuthority.loadOrCreate(directory: directory, at: moment)
        #expect(made.rootPEM == found.rootPEM)
        #expect(try TestCertificateAuthority(path: "\(directory)/authority.pem").rootPEM == made.rootPEM)
        #expect(try String(contentsOfFile: "\(directory)/root.pem", encoding: .utf8) == made.rootPEM)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/authority.pem")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(throws: SimulatorError(.authority, "")) { try made.write(directory: directory) }
    }

    @Test func `the test certificate authority of a directory is that of who was first, and the root is its own`()
        throws
    {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("authority-\(UInt64.random(in: 0 ... .max))").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        func root() throws -> String { try String(contentsOfFile: "\(directory)/root.pem", encoding: .utf8) }
        let first = try TestCertificateAuthority(at: moment)
        try first.write(directory: directory)
        let late = try TestCertificateAuthority(at: moment)
        #expect(throws: SimulatorError(.authority, "")) { try late.write(directory: directory) }
        #expect(try root() == first.rootPEM)
        // As after somebody has put another authority's root there.
        try late.rootPEM.write(toFile: "\(directory)/root.pem", atomically: true, encoding: .utf8)
        let found = try TestCertificateAuthority.loadOrCreate(directory: directory, at: moment)
        #expect(try found.rootPEM == first.rootPEM && root() == first.rootPEM)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        #expect(files == ["authority.pem", "root.pem"])
    }

    /// As the roots of somebody's own app, or of a certificate authority of another kind.
    @Test func `a root that the test certificate authority has not written is never overwritten`() throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("authority-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let root = directory.appendingPathComponent("root.pem")
        try Data("my own".utf8).write(to: root)
        #expect(throws: SimulatorError(.authority, "")) {
            try TestCertificateAuthority.loadOrCreate(directory: directory.path, at: moment)
        }
        #expect(throws: SimulatorError(.authority, "")) {
            try TestCertificateAuthority(at: moment).write(directory: directory.path)
        }
        #expect(try String(contentsOf: root, encoding: .utf8) == "my own")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["root.pem"])
    }

    @Test func `the test certificate authority is one for all who make it at once`() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("authority-\(UInt64.random(in: 0 ... .max))").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let roots = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try TestCertificateAuthority.loadOrCreate(directory: directory, at: moment).rootPEM
                }
            }
            var roots: Set<String> = []
            for try await root in group { roots.insert(root) }
            return roots
        }
        #expect(try roots == [String(contentsOfFile: "\(directory)/root.pem", encoding: .utf8)])
    }

    @Test(arguments: ["", "junk", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"])
    func `any other text is refused`(text: String) {
        #expect(throws: SimulatorError(.authority, "")) { try TestCertificateAuthority(pem: text) }
    }

    @Test func `keys of another authority are refused`() throws {
        let one = try TestCertificateAuthority(at: moment)
        let documents = try PEMDocument.parseMultiple(pemString: one.pem)
        let others = try PEMDocument.parseMultiple(pemString: TestCertificateAuthority(at: moment).pem)
        let mixed = [documents[0], others[1], documents[2], documents[3]].map(\.pemString).joined(separator: "\n")
        #expect(throws: SimulatorError(.authority, "")) { try TestCertificateAuthority(pem: mixed) }
    }

    @Test func `the test certificate authority says in every name that it is a test`() throws {
        let root = try Certificate(pemEncoded: TestCertificateAuthority(at: moment).rootPEM)
        #expect(root.subject.description.contains("TEST ONLY"))
        #expect(root.notValidBefore == moment.addingTimeInterval(-86_400))
        #expect(root.issuer == root.subject)
    }
}
