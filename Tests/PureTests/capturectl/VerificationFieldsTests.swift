import AppAttest
import CaptureModel
import TestSupport
import Testing

@testable import capturectl

@Suite("What a question consists of", .timeLimit(.minutes(1)))
struct VerificationFieldsTests {
    /// These would take minutes if the text were compared as a Swift `String`.
    @Test func `a word of ours is looked for at the cost of its bytes`() throws {
        var fields = VerificationFields()
        fields.environment = CostlyText.bytes(600_000)
        fields.receiptType = CostlyText.bytes(600_000)
        #expect(throws: VerificationFault.self) { try fields.environments() }
        #expect(throws: VerificationFault.self) { try fields.namedReceiptType() }
    }

    @Test func `any is every environment, and no type in particular`() throws {
        var fields = VerificationFields()
        fields.environment = "any"
        fields.receiptType = "any"
        #expect(try fields.environments()?.count == 2)
        #expect(try fields.namedReceiptType() == nil)
        fields.environment = "production"
        fields.receiptType = "RECEIPT"
        #expect(try fields.environments() == [.production])
        #expect(try fields.namedReceiptType() == .renewal)
    }

    private static let digest = SHA256Digest.hash(Array("key".utf8))

    @Test(arguments: [
        (VerificationFields.Name.keyID, digest.hex), (.keyID, digest.hex.uppercased()), (.clientDataHash, digest.hex),
        (.publicKey, "04" + digest.hex + digest.hex),
    ])
    func `hexadecimal is refused where it would be read as base64 of other bytes`(
        name: VerificationFields.Name, text: String
    ) throws {
        var fields = VerificationFields()
        fields.bytes[name] = .base64(text)
        let fault = #expect(throws: VerificationFault.self) { try fields.check() }
        #expect(fault?.detail == "\(name.rawValue) takes base64; this is hexadecimal")
        fields.bytes[name] = .base64(Base64Text.encode(Self.digest.bytes))
        #expect(try fields.optional(name) == Self.digest.bytes)
        // Other lengths have their verdicts.
        fields.bytes[name] = .base64("abcd")
        #expect(try fields.optional(name)?.count == 3)
    }

    @Test func `what may be any bytes may look hexadecimal`() throws {
        var fields = VerificationFields()
        fields.bytes[.challenge] = .base64(String(repeating: "A", count: 64))
        #expect(try fields.optional(.challenge) == [UInt8](repeating: 0, count: 48))
    }
}
