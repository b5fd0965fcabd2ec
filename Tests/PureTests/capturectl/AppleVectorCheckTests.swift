import Foundation
import PrivateServers
import Testing

@testable import capturectl

@Suite("Apple's real vectors in a simulation") struct AppleVectorCheckTests {
    @Test func `a directory that has none is no failure, and one that is not there is`() throws {
        let folder = try TemporaryDirectory.make("vectors")
        defer { try? FileManager.default.removeItem(at: folder) }
        let none = AppleVectorCheck.run(in: folder.path)
        #expect(none.passed && none.vector == nil)
        #expect(none.text.contains("nothing of Apple's was verified"))
        let nowhere = AppleVectorCheck.run(in: folder.appendingPathComponent("nowhere").path)
        #expect(!nowhere.passed && nowhere.attestation == "cannot be read: No such file or directory")
    }

    @Test func `a vector that cannot be read is a failure, whatever else is there`() throws {
        let folder = try TemporaryDirectory.make("vectors")
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = "2026-01-01_damaged.json"
        try Data("{}".utf8).write(to: folder.appendingPathComponent(name))
        try Data(Self.withoutAssertions.utf8).write(to: folder.appendingPathComponent("2025-01-01_whole.json"))
        let result = AppleVectorCheck.run(in: folder.path)
        #expect(!result.passed && result.vector == name)
        #expect(result.attestation == "cannot be read: it is not JSON, or it has not the members of a vector")
        #expect(result.text.hasPrefix("✗ Apple's real vector \(name)"))
    }

    @Test func `a vector without assertions is passed over`() throws {
        let folder = try TemporaryDirectory.make("vectors")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.withoutAssertions.utf8).write(to: folder.appendingPathComponent("2025-01-01_whole.json"))
        let result = AppleVectorCheck.run(in: folder.path)
        #expect(result.passed && result.vector == nil && result.attestation == nil)
    }

    private static let withoutAssertions = """
        {"appId": "TEAM000000.app.capture", "keyId": "AAAA", "attestation": "AAAA", "clientDataHash": "AAAA",
         "validAt": "2025-01-01T00:00:00Z", "assertions": []}
        """
}
