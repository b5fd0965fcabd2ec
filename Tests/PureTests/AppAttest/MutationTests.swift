import AppAttest
import Foundation
import Testing

/// Every beginning and every damaged byte of real evidence: none may crash, none may verify.
@Suite struct `Damaged evidence` {
    private static let attestations = [
        "2021-01-22_ios14.4_dev_veehaitch_9472e19c.json", "2026-04-20_ios27.0_prod_apple2026_e4ca5081.json",
    ]

    @Test(.timeLimit(.minutes(5)), arguments: attestations)
    func `no damaged attestation verifies, except where only the receipt is damaged`(_ name: String) throws {
        let file = try VectorFile.read(name)
        let bytes = Array(try #require(file.attestation))
        let keyID = Array(try #require(file.keyId))
        let hash = Array(try #require(file.clientDataHash))
        let moment = try VectorFile.moment(file.validAt)
        let verifier = AttestationVerifier(policy: try file.policy())
        func verifies(_ attestation: [UInt8]) -> VerifiedAttestation? {
            try? verifier.verify(attestation: attestation, keyID: keyID, clientDataHash: hash, at: moment)
        }
        let genuine = try #require(verifies(bytes))
        let start = try #require(
            bytes.indices.first { bytes[$0...].starts(with: genuine.receipt) }, "the receipt lies in the attestation")
        let receipt = start..<start + genuine.receipt.count

        for count in bytes.indices { #expect(verifies(Array(bytes[..<count])) == nil) }
        // Every byte, but inside the receipt, which is signed by itself and judged elsewhere, every sixteenth.
        for offset in bytes.indices where !receipt.contains(offset) || offset.isMultiple(of: 16) {
            var damaged = bytes
            damaged[offset] ^= offset.isMultiple(of: 2) ? 0x01 : 0x80
            if verifies(damaged) != nil { #expect(receipt.contains(offset), "byte \(offset)") }
            _ = UnverifiedAttestation.publicKey(in: damaged, keyID: keyID)
        }
    }

    /// The oldest, and the newest that were taken by themselves.
    private static let withAssertions =
        VectorFile.namesWithAssertions.prefix(3)
        + VectorFile.namesWithAssertions.filter { $0.hasPrefix("2026") }

    @Test func `there are old and new assertions to damage`() { #expect(Self.withAssertions.count >= 4) }

    @Test(.timeLimit(.minutes(2)), arguments: withAssertions)
    func `no damaged assertion verifies`(_ name: String) throws {
        let file = try VectorFile.read(name)
        let key = try AssertionKey(x963: Array(try #require(file.publicKeyX963)))
        let app = try file.app
        for item in try #require(file.assertions) {
            let bytes = Array(item.assertion)
            let hash = Array(try #require(item.clientDataHash))
            func verifies(_ assertion: [UInt8]) -> Bool {
                (try? AssertionVerifier().verify(assertion, clientDataHash: hash, publicKey: key, appID: app)) != nil
            }
            #expect(verifies(bytes))
            for count in bytes.indices { #expect(!verifies(Array(bytes[..<count]))) }
            for offset in bytes.indices {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[offset] ^= 1 << UInt8(bit)
                    #expect(!verifies(damaged), "byte \(offset), bit \(bit)")
                }
            }
        }
    }
}
