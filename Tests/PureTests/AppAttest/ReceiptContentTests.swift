import AppAttest
import CaptureModel
import DeviceSimulator
import Foundation
import Testing

@Suite struct `Contents of receipts` {
    private let fixture: ReceiptFixture

    init() throws { fixture = try ReceiptFixture() }

    @Test(arguments: [2, 3, 5, 6, 12, 21] as [UInt8])
    func `a receipt without a field that each has, or with a field twice, is refused`(_ number: UInt8) throws {
        #expect(try fixture.code { $0[number] = nil } == .fieldMissing)
        #expect(try fixture.code { $0.fields.append($0.fields[0]) } == .payloadMalformed)
    }

    @Test func `contents of receipts belong to app, key, attestation, type and environment`() throws {
        let other = SimulatedDevice(appID: ReceiptFixture.app.text)
        let otherContent = try other.receiptContent(
            clientDataHash: ReceiptFixture.hash, authority: fixture.authority, at: ReceiptFixture.moment)
        #expect(try fixture.code { $0[2]?.append(0x61) } == .appIDMismatch)
        #expect(try fixture.code { $0[3] = otherContent[3] } == .publicKeyMismatch)
        #expect(try fixture.code { $0[4]?[0] ^= 1 } == .clientDataHashMismatch)
        #expect(try fixture.code { $0[4] = nil } == .clientDataHashMismatch)
        #expect(try fixture.code { $0[6] = Array("attest".utf8) } == .typeMismatch)
        #expect(try fixture.code { $0[7] = Array("sandbox".utf8) } == .environmentMismatch)
    }

    /// Apple documents no field 7, and may leave it out.
    @Test func `contents of receipts may name no environment`() throws {
        let verifier = ReceiptVerifier(policy: try fixture.policy())
        var content = fixture.content
        content[7] = nil
        let receipt = try fixture.issuer.sign(content)
        for environment in [nil, .production, .development] as [AttestEnvironment?] {
            var expectation = fixture.expectation
            expectation.environment = environment
            #expect(try verifier.verify(receipt, expectation, at: ReceiptFixture.moment).environment == nil)
        }
    }

    @Test func `contents of receipts have fields in any order, and others`() throws {
        #expect(try fixture.code { $0.fields.reverse() } == nil)
        #expect(try fixture.code { $0.fields.append(.init(99, [1, 2, 3])) } == nil)
        var generator = SeededGenerator(seed: 1)
        let shuffled = try fixture.code { $0.fields.shuffle(using: &generator) }
        #expect(shuffled == nil)
    }

    @Test(
        arguments: [
            (3, ""), (3, "0"), (5, "\u{FF}"), (7, "staging"), (12, ""), (12, "2026-09-21"), (12, "2026-09-21T14:13:20"),
            (12, "2026-09-21T14:13:20.Z"), (12, "2026-02-30T14:13:20Z"), (12, "2026-13-01T14:13:20Z"),
            (12, "2026-09-21T24:13:20Z"), (12, "2026-09-21T14:60:20Z"), (12, "2026-09-21T14:13:60Z"),
            (12, "2026-09-00T14:13:20Z"), (12, "2026-00-21T14:13:20Z"), (12, "2026-09-21T14:13:20.1234567890Z"),
            (12, "2026-09-21 14:13:20.000Z"),
            (12, "2026-09-21T14:13:20+0000"), (12, "-026-09-21T14:13:20.000Z"), (21, "tomorrow"),
        ] as [(UInt8, String)])
    func `contents of receipts have values that can be read`(_ number: UInt8, _ text: String) throws {
        let value = text == "\u{FF}" ? [0xFF] : Array(text.utf8)
        #expect(try fixture.code { $0[number] = value } == .fieldMalformed)
    }

    @Test(arguments: ["", "-1", "1.5", "1 ", "0x1", "1000000000", "١"])
    func `contents of receipts have a risk metric that is a number`(_ text: String) throws {
        #expect(try fixture.code { $0[17] = Array(text.utf8) } == .fieldMalformed)
    }

    @Test(arguments: [
        "2026-09-21T14:13:20Z", "2026-09-21T14:13:20.0Z", "2026-09-21T14:13:20.00Z", "2026-09-21T14:13:20.000000000Z",
    ])
    func `contents of receipts have times with any number of digits`(_ text: String) throws {
        #expect(try fixture.code { $0[12] = Array(text.utf8) } == nil)
    }

    @Test func `contents of a renewed receipt have metric and next time`() throws {
        #expect(try fixture.code { $0[6] = Array("RECEIPT".utf8) } == .fieldMissing)
        #expect(
            try fixture.code {
                $0[6] = Array("RECEIPT".utf8)
                $0[17] = Array("3".utf8)
            } == .fieldMissing)
    }

    @Test(
        arguments: [
            [], [0x31, 0x00], [0x30, 0x00], [0x31, 0x80, 0x00, 0x00], [0x31, 0x00, 0x00], [0x31, 0x02, 0x30, 0x00],
            [0x31, 0x02, 0x05, 0x00], [0x31, 0x06, 0x30, 0x04, 0x02, 0x00, 0x02, 0x00],
            [0x31, 0x0D, 0x30, 0x0B, 0x02, 0x05, 1, 1, 1, 1, 1, 0x02, 0x00, 0x04, 0x00],
            [0x31, 0x0A, 0x30, 0x08, 0x02, 0x01, 2, 0x02, 0x00, 0x04, 0x00, 0x00],
            [0x31, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]])
    func `contents of receipts are a set of fields`(_ content: [UInt8]) throws {
        let code = try fixture.code(fixture.issuer.sign(content))
        let isEmptySet = content == [0x31, 0x00] || content == [0x31, 0x80, 0x00, 0x00]
        #expect(code == (isEmptySet ? .fieldMissing : .payloadMalformed))
    }
}
