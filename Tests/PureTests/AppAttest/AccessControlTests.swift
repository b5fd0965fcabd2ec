import AppAttest
import Foundation
import TestSupport
import Testing

/// What step 16 makes of real leaves, which are all of iPhones.
@Suite struct `Access control of real keys` {
    /// What iOS 26.2 to 27.0 certifies, byte for byte.
    private static let iOS =
        "MEmjRwRFMEMMAjExMD0wCgwDb2tkoQMBAf8wCQwCb2GhAwEB/zALDARvc2duoQMB"
        + "Af8wCwwEb2RlbKEDAQH/MAoMA29ja6EDAQH/"
    /// What Apple documents for macOS 27, without what is around it.
    private static let macOS27 =
        "MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/zAVDARvc2du"
        + "oAYMBHJzZWMwBaYDAgEB"

    /// The code that a real attestation is refused with; `nil` when it is accepted.
    private func code(_ name: String, required accessControl: [UInt8]?) throws -> AttestationError.Code? {
        let file = try VectorFile.read(name)
        do {
            _ = try AttestationVerifier(policy: file.policy(accessControl: accessControl)).verify(
                attestation: Array(try #require(file.attestation)), keyID: Array(try #require(file.keyId)),
                clientDataHash: Array(try #require(file.clientDataHash)), at: VectorFile.moment(file.validAt))
            return nil
        } catch let error as AttestationError {
            return error.code
        }
    }

    @Test func `there are vectors with a list of iOS`() {
        #expect(VectorFile.names("2026").count >= 4)
    }

    @Test(arguments: VectorFile.names("2026"))
    func `a list of iOS is not a Mac's, and is taken where it is asked for`(_ name: String) throws {
        let own = Array(try #require(Data(base64Encoded: Self.iOS)))
        #expect(try code(name, required: nil) == nil)
        #expect(try code(name, required: own) == nil)
        #expect(try code(name, required: AttestationPolicy.macOS27AccessControl) == .accessControlMismatch)
        #expect(try code(name, required: Array(own.dropLast())) == .accessControlMismatch)
        #expect(try code(name, required: []) == .accessControlMismatch)
    }

    @Test func `a leaf without a list has none that is asked for`() throws {
        let name = try #require(VectorFile.names("2025-03-12").first)
        #expect(try code(name, required: nil) == nil)
        #expect(try code(name, required: []) == .accessControlMismatch)
        #expect(try code(name, required: AttestationPolicy.macOS27AccessControl) == .accessControlMismatch)
    }

    @Test func `the list of macOS 27 is the one that Apple documents`() throws {
        let documented = Array(try #require(Data(base64Encoded: Self.macOS27)))
        // A SEQUENCE of context tag 3 with an OCTET STRING.
        #expect(AttestationPolicy.macOS27AccessControl == [0x30, 0x46, 0xA3, 0x44, 0x04, 0x42] + documented)
    }
}
