import AppAttest
import Crypto
import DeviceSimulator
import Foundation
import Testing

/// Receipts with a good signature over attributes that do not say what they must (RFC 5652, 5.3 and 11).
@Suite struct `Signed attributes of receipts` {
    /// Those that `ReceiptForm` writes: 26 bytes tell the content's type, 49 its digest.
    private static let attributesBytes = 75
    private static let contentType: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03]
    private static let ecdsaWithSHA256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]

    private let fixture: ReceiptFixture
    private let forge: ReceiptChainForge

    init() throws {
        fixture = try ReceiptFixture()
        forge = try ReceiptChainForge([.signer(issuer: "root")])
    }

    @Test func `signed attributes of receipts name both the type and the digest of the content`() throws {
        #expect(try code { _ in } == nil)
        // Another attribute, the time of signing, in place of one of the two.
        #expect(try code { $0[12] = 0x05 } == .signatureInvalid)
        #expect(try code { $0[26 + 12] = 0x05 } == .signatureInvalid)
        // The type of enveloped data.
        #expect(try code { $0[25] = 0x03 } == .signatureInvalid)
        // The last byte of the digest.
        #expect(try code { $0[74] ^= 1 } == .signatureInvalid)
    }

    /// The code that a receipt is rejected with after a change of its attributes, which are then signed again.
    private func code(_ change: (inout [UInt8]) -> Void) throws -> ReceiptError.Code? {
        var receipt = try forge.issuer().sign(fixture.content, form: .attributesSigned)
        // In front of the identifier are two bytes of the attribute's own.
        let start = try Self.place(of: Self.contentType, in: receipt, from: 0) - 2
        let end = start + Self.attributesBytes
        var attributes = Array(receipt[start..<end])
        change(&attributes)
        receipt.replaceSubrange(start..<end, with: attributes)
        let algorithm = try Self.place(of: Self.ecdsaWithSHA256, in: receipt, from: end)
        let length = algorithm + Self.ecdsaWithSHA256.count + 1
        let signatureBytes = Int(receipt[length])
        let covered: [UInt8] = [0x31, UInt8(Self.attributesBytes)] + attributes
        var signature: [UInt8] = []
        // The length of a signature in DER varies by a few bytes; this one has to fit in place of the first.
        while signature.count != signatureBytes {
            signature = Array(try forge.links[0].key.signature(for: covered).derRepresentation)
        }
        receipt.replaceSubrange((length + 1)..<(length + 1 + signatureBytes), with: signature)
        let trusted = try forge.trustRoot()
        return try fixture.code(receipt) { $0.roots = [trusted] }
    }

    private static func place(of bytes: [UInt8], in receipt: [UInt8], from start: Int) throws -> Int {
        try #require((start..<receipt.count).first { receipt[$0...].starts(with: bytes) })
    }
}
