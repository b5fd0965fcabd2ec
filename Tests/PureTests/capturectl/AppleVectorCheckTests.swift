import Foundation
import PrivateServers
import TestSupport
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

    /// No vector of these has assertions: that one is made up, and refused.
    @Test(arguments: [
        "2024-04-17_ios18.0_prod_splitsecure_5ebd274c.json", "2026-04-20_ios27.0_prod_apple2026_e4ca5081.json",
    ])
    func `a challenge that was not hashed is taken as attestation verify takes it`(name: String) throws {
        let folder = try TemporaryDirectory.make("vectors")
        defer { try? FileManager.default.removeItem(at: folder) }
        var vector = try Self.vector(name)
        let assertion: [String: Any] = ["assertion": "AAAA", "clientDataHash": "AAAA", "previousCounter": 0]
        vector["assertions"] = [assertion]
        try JSONSerialization.data(withJSONObject: vector).write(to: folder.appendingPathComponent(name))
        let result = AppleVectorCheck.run(in: folder.path)
        #expect(result.attestation?.hasPrefix("verified: production, iOS ") == true, "\(result)")
        #expect(result.assertions?.hasPrefix("refused: ") == true && !result.passed, "\(result)")
    }

    @Test func `base64url without padding is taken as attestation verify takes it`() throws {
        let folder = try TemporaryDirectory.make("vectors")
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = "2026-02-25_ios26.3_dev_worldcoin_f0873a8d.json"
        var vector = try Self.vector(name)
        for member in ["keyId", "attestation", "clientDataHash"] {
            let text = try #require(vector[member] as? String)
            vector[member] = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        try JSONSerialization.data(withJSONObject: vector).write(to: folder.appendingPathComponent(name))
        let result = AppleVectorCheck.run(in: folder.path)
        #expect(result.passed && result.assertions?.hasSuffix(" verified") == true, "\(result)")
    }

    private static func vector(_ name: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Vectors.data(name)) as? [String: Any])
    }

    private static let withoutAssertions = """
        {"appId": "TEAM000000.app.capture", "keyId": "AAAA", "attestation": "AAAA", "clientDataHash": "AAAA",
         "validAt": "2025-01-01T00:00:00Z", "assertions": []}
        """
}
