import AppAttest
import DeviceSimulator
import Foundation
import TestSupport
import Testing

/// Beginnings, damaged bytes and mixed pieces of receipts, and bytes at random: none may crash, none may mislead.
@Suite(.timeLimit(.minutes(5))) struct `Damaged receipts` {
    private static let vectors = ReceiptVector.all.filter { $0.expected == "valid" }

    @Test func `there are several receipts to damage`() { #expect(Self.vectors.count >= 2) }

    @Test(arguments: [vectors.first, vectors.last].compactMap(\.self))
    func `no beginning of a receipt verifies`(_ vector: ReceiptVector) {
        let verifier = ReceiptVerifier()
        for count in vector.bytes.indices {
            #expect(throws: ReceiptError.self) {
                try verifier.verify(Array(vector.bytes[..<count]), vector.expectation, at: vector.moment)
            }
        }
    }

    @Test(arguments: [vectors.first, vectors.last].compactMap(\.self))
    func `a damaged receipt is rejected, or says the same as before`(_ vector: ReceiptVector) throws {
        let verifier = ReceiptVerifier()
        let genuine = try verifier.verify(vector.bytes, vector.expectation, at: vector.moment)
        var refused = 0
        // An odd step, so that headers, lengths and values are hit, with the lowest and the highest bit in turn.
        for (turn, offset) in stride(from: 0, to: vector.bytes.count, by: 19).enumerated() {
            var damaged = vector.bytes
            damaged[offset] ^= turn.isMultiple(of: 2) ? 0x01 : 0x80
            // Versions, the root's certificate and early signed attributes are covered by no signature that is used.
            if let other = try? verifier.verify(damaged, vector.expectation, at: vector.moment) {
                #expect(other.token == genuine.token && other.createdAt == genuine.createdAt, "byte \(offset)")
                #expect(other.riskMetric == genuine.riskMetric && other.notBefore == genuine.notBefore)
                #expect(other.expiresAt == genuine.expiresAt && other.environment == genuine.environment)
            } else {
                refused += 1
            }
            ReceiptProbe.read(damaged)
        }
        #expect(refused > 0)
    }

    @Test func `mixed pieces of receipts are read without trouble`() throws {
        let fixture = try ReceiptFixture()
        let seeds = try ReceiptForm.allCases.map { try fixture.issuer.sign(fixture.content, form: $0) }
        let verifier = ReceiptVerifier(policy: try fixture.policy())
        var random = SeededGenerator(seed: testSeed("mixed pieces of receipts"))
        var refused = 0
        for _ in 0..<1000 {
            let bytes = Self.mixed(seeds, using: &random)
            ReceiptProbe.read(bytes)
            if let verified = try? verifier.verify(bytes, fixture.expectation, at: ReceiptFixture.moment) {
                #expect(verified.token.utf8.elementsEqual(fixture.content[5] ?? []))
            } else {
                refused += 1
            }
        }
        #expect(refused > 0)
    }

    @Test func `bytes at random are no receipt`() throws {
        let fixture = try ReceiptFixture()
        let verifier = ReceiptVerifier(policy: try fixture.policy())
        var random = SeededGenerator(seed: testSeed("bytes at random"))
        // Octets that mean something in BER come often, so that the reader gets deep into them.
        let telling: [UInt8] = [
            0x00, 0x02, 0x04, 0x06, 0x24, 0x30, 0x31, 0x80, 0x81, 0x82, 0x84, 0x85, 0xA0, 0xA1, 0xFF,
        ]
        for _ in 0..<3000 {
            let count = Int.random(in: 0...200, using: &random)
            let bytes = (0..<count).map { _ in
                Bool.random(using: &random)
                    ? telling[Int.random(in: telling.indices, using: &random)]
                    : UInt8.random(in: 0...40, using: &random)
            }
            ReceiptProbe.read(bytes)
            #expect(throws: ReceiptError.self) {
                try verifier.verify(bytes, fixture.expectation, at: ReceiptFixture.moment)
            }
        }
    }

    /// One seed with some pieces changed, taken out, doubled, or put in from another.
    private static func mixed(_ seeds: [[UInt8]], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = seeds[Int.random(in: seeds.indices, using: &random)]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !bytes.isEmpty else { break }
            let start = Int.random(in: bytes.indices, using: &random)
            let end = min(bytes.count, start + Int.random(in: 1...64, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[start] = UInt8.random(in: .min ... .max, using: &random)
            case 1: bytes.removeSubrange(start..<end)
            case 2: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 3:
                let other = seeds[Int.random(in: seeds.indices, using: &random)]
                let from = Int.random(in: other.indices, using: &random)
                bytes.replaceSubrange(start..<end, with: other[from..<min(other.count, from + 64)])
            default: bytes[start] = [0x00, 0x80, 0x30, 0x84, 0xFF][Int.random(in: 0..<5, using: &random)]
            }
        }
        return bytes
    }
}
