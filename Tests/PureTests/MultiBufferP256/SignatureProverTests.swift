import Crypto
import MultiBufferP256
import Testing

/// Signatures as devices make them, against swift-crypto, which made them.
@Suite struct SignatureProverTests {
    private let prover: SignatureProver

    init() throws {
        switch SignatureProver.support {
        case .available(let prover): self.prover = prover
        case .absent: try Test.cancel("this processor has no AVX-512 IFMA")
        case .faulty: throw FailedItsTest()
        }
    }

    private struct FailedItsTest: Error {}

    private static func claim(
        _ number: Int, signed: Int? = nil, by key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(),
        shown: P256.Signing.PrivateKey? = nil
    ) throws -> SignatureClaim {
        let signature = try key.signature(for: SHA256.hash(data: [UInt8](repeating: 7, count: signed ?? number)))
        return SignatureClaim(
            signature, by: LaneKey((shown ?? key).publicKey),
            of: SHA256.hash(data: [UInt8](repeating: 7, count: number)))
    }

    @Test(arguments: [0, 1, 2, 7, 8, 9, 16, 21])
    func `genuine signatures are proven, however many there are`(_ count: Int) throws {
        let claims = try (0..<count).map { try Self.claim($0) }
        #expect(prover.proven(claims) == Array(repeating: true, count: count))
    }

    @Test(arguments: 0..<8) func `a forged one in any lane is not, and the others are`(_ lane: Int) throws {
        for forged in [
            try Self.claim(3, signed: 4), try Self.claim(3, shown: P256.Signing.PrivateKey()),
        ] {
            var claims = try (0..<8).map { try Self.claim($0) }
            claims[lane] = forged
            #expect(prover.proven(claims) == (0..<8).map { $0 != lane })
        }
    }

    @Test func `one key may have any number of lanes`() throws {
        let key = P256.Signing.PrivateKey()
        #expect(prover.proven(try (0..<11).map { try Self.claim($0, by: key) }) == Array(repeating: true, count: 11))
    }
}
