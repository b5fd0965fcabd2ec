import CMultiBufferP256
import CProcessor
import DeviceSimulator
import ReferenceP256
import TestSupport
import Testing

/// Claims that no signer makes, against libcrypto: sums of points that meet a formula's exceptions, and numbers at the
/// ends of their ranges.
@Suite struct LaneVerificationTests {
    private let table: [cmb_p256_multiple]

    init() throws {
        guard cmb_p256_is_available(processor_features_read()) else {
            try Test.cancel("this processor has no AVX-512 IFMA")
        }
        var points: [UInt8] = []
        for k in 1...UInt64(CMB_P256_MULTIPLES) {
            // 0 · G + 1 · (k · G) has the key k · G.
            let claim = try #require(Self.claim(k, Self.number(0), Self.number(1)))
            points += withUnsafeBytes(of: claim.key) { Array($0) }
        }
        var table = [cmb_p256_multiple](repeating: cmb_p256_multiple(), count: Int(CMB_P256_MULTIPLES))
        cmb_p256_make_table(points, &table)
        self.table = table
    }

    private static let order: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]

    private static func number(_ value: UInt64) -> [UInt8] {
        [UInt8](repeating: 0, count: 24) + withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func claim(_ d: UInt64, _ u1: [UInt8], _ u2: [UInt8]) -> cmb_p256_claim? {
        var claim = cmb_p256_claim()
        return reference_make_claim(d, u1, u2, &claim) ? claim : nil
    }

    private func proven(_ claims: [cmb_p256_claim], sourceLocation: SourceLocation = #_sourceLocation) -> [Bool] {
        stride(from: 0, to: claims.count, by: 8).flatMap { start in
            let group = Array(claims[start..<min(start + 8, claims.count)])
            let lanes = cmb_p256_proven(table, group, group.count)
            #expect(
                lanes >> UInt32(group.count) == 0, "a lane without a claim proves none", sourceLocation: sourceLocation)
            return group.indices.map { lanes >> UInt32($0) & 1 == 1 }
        }
    }

    /// A claim with one bit of its hash, of r and of s altered.
    private static func altered(_ claim: cmb_p256_claim, _ random: inout SeededGenerator) -> [cmb_p256_claim] {
        let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
        let byte = Int.random(in: 0..<32, using: &random)
        return [128, 64, 96].map { field in
            var altered = claim
            withUnsafeMutableBytes(of: &altered) { $0[field + byte] ^= bit }
            return altered
        }
    }

    @Test func `any sum of multiples is proven`() throws {
        var random = SeededGenerator(seed: testSeed("multi-buffer P-256: sums"))
        let bytes = { (random: inout SeededGenerator) in
            (0..<32).map { _ in
                [0, 0xff, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
            }
        }
        let claims = (0..<200).compactMap { _ in
            Self.claim(.random(in: 1...(.max), using: &random), bytes(&random), bytes(&random))
        }
        #expect(claims.count > 190)
        #expect(proven(claims).allSatisfy { $0 })
        #expect(!proven(claims.flatMap { Self.altered($0, &random) }).contains(true))
    }

    /// Where a point is added to itself or its negative, the lane gives up and must not say yes to anything: neither to
    /// what holds nor to any other r.
    @Test func `sums of small multiples of small keys are proven only where they are valid`() throws {
        var random = SeededGenerator(seed: testSeed("multi-buffer P-256: small"))
        var claims: [cmb_p256_claim] = []
        var falseClaims: [cmb_p256_claim] = []
        let numbers: [UInt64] = [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 127, 128, 129, 255, 256, 257, 512, 1_024]
        for d: UInt64 in [1, 2, 3, 16, 17, 128, 256] {
            for (u1, u2) in numbers.flatMap({ u1 in numbers.map { (Self.number(u1), Self.number($0)) } }) {
                if let claim = Self.claim(d, u1, u2) { claims.append(claim) }
                var claim = cmb_p256_claim()
                if reference_make_false_claim(d, u1, u2, .random(in: 1...9, using: &random), &claim) {
                    falseClaims.append(claim)
                }
            }
        }
        let found = proven(claims)
        #expect(claims.count > 2_000)
        for claim in claims { #expect(withUnsafePointer(to: claim) { reference_is_valid($0) }) }
        // Most are, so the formulas' exceptions are not an excuse; some are not, so they were met.
        #expect(found.filter { $0 }.count > claims.count * 3 / 4)
        #expect(found.contains(false))
        #expect(!proven(claims.flatMap { Self.altered($0, &random) }).contains(true))
        #expect(falseClaims.count >= claims.count && !proven(falseClaims).contains(true))
    }

    /// The same at every step of a sum of full length, by the key that it takes.
    @Test(arguments: [false, true])
    func `sums that meet their addend or its negative are proven only where they are valid`(_ negative: Bool) throws {
        var random = SeededGenerator(seed: testSeed("multi-buffer P-256: exceptions"))
        let any = { (random: inout SeededGenerator) in
            (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        var claims: [cmb_p256_claim] = []
        var falseClaims: [cmb_p256_claim] = []
        // There are 85 digits: one begins the sum, and few are 0.
        for step in 0..<80 {
            let (u1, u2) = (any(&random), any(&random))
            let r = UInt64.random(in: 1...9, using: &random)
            var (claim, named) = (cmb_p256_claim(), cmb_p256_claim())
            if reference_make_exceptional_claim(u1, u2, Int32(step), negative, 0, &claim) { claims.append(claim) }
            if reference_make_exceptional_claim(u1, u2, Int32(step), negative, r, &named) { falseClaims.append(named) }
        }
        #expect(claims.count > 70 && falseClaims.count > 70)
        for claim in claims { #expect(withUnsafePointer(to: claim) { reference_is_valid($0) }) }
        // Were many proven, the exceptions would not have been met; the lanes may have added n to u1 or u2, so some are.
        #expect(proven(claims).filter { $0 }.count < claims.count / 4)
        #expect(!proven(falseClaims).contains(true))
    }

    /// An x above the order is not r: without the bound on r a forger could choose such a sum, and the key to it.
    @Test func `an x beyond the order is never r itself`() throws {
        var random = SeededGenerator(seed: testSeed("multi-buffer P-256: x beyond the order"))
        let any = { (random: inout SeededGenerator) in
            (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        for _ in 0..<100 {
            var (below, beyond, reduced) = (cmb_p256_claim(), cmb_p256_claim(), cmb_p256_claim())
            // n goes on with 0xbc, and p is beyond it by far.
            var x = Array(Self.order.prefix(16)) + any(&random).prefix(16)
            x[16] = 0xbd
            let (u1, u2) = (any(&random), any(&random))
            try #require(reference_make_claim_of_x(x, u1, u2, false, &beyond))
            try #require(reference_make_claim_of_x(x, u1, u2, true, &reduced))
            x[16] = 0xbb
            try #require(reference_make_claim_of_x(x, u1, u2, false, &below))
            #expect(withUnsafePointer(to: below) { reference_is_valid($0) })
            #expect(!withUnsafePointer(to: beyond) { reference_is_valid($0) })
            #expect(withUnsafePointer(to: reduced) { reference_is_valid($0) })
            // The reduced one is valid, and is left to be verified by itself.
            #expect(proven([below, beyond, reduced]) == [true, false, false])
        }
    }

    @Test func `numbers that are out of range are never proven, and the twin of s is`() throws {
        let order = Self.order
        let one = Self.number(1)
        let claim = try #require(Self.claim(7, Self.number(11), Self.number(13)))
        let with = { (offset: Int, number: [UInt8]) in
            var altered = claim
            withUnsafeMutableBytes(of: &altered) { bytes in
                for (index, byte) in number.enumerated() { bytes[offset + index] = byte }
            }
            return altered
        }
        let zero = Self.number(0)
        let ones = [UInt8](repeating: 0xff, count: 32)
        var beyond = order
        beyond[31] += 1
        let outside = [zero, order, beyond, ones].flatMap { [with(64, $0), with(96, $0), with(64, $0 + $0)] }
        #expect(!proven(outside).contains(true))
        #expect(!proven([with(64, one), with(96, one)]).contains(true))
        // −u1 and −u2 come to −R, which has the same x: a valid signature, by design of ECDSA.
        let s = withUnsafeBytes(of: claim) { Array($0[96..<128]) }
        let twin = with(96, Self.difference(order, s))
        #expect(withUnsafePointer(to: twin) { reference_is_valid($0) })
        #expect(proven([claim, twin]) == [true, true])
    }

    /// s and s + n are the same number modulo n, and only one of them is a signature.
    @Test func `an s that is too large by the order is refused`() throws {
        var claim = cmb_p256_claim()
        try #require(reference_make_claim_of_s(5, 7, 1, &claim))
        var beyond = claim
        withUnsafeMutableBytes(of: &beyond) { bytes in
            for (index, byte) in Self.order.enumerated() { bytes[96 + index] = byte }
            bytes[127] += 1
        }
        #expect(!withUnsafePointer(to: beyond) { reference_is_valid($0) })
        #expect(proven([claim, beyond]) == [true, false])
    }

    private static func difference(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var borrow = 0
        return zip(a, b).reversed().map { a, b in
            let digit = Int(a) - Int(b) - borrow
            borrow = digit < 0 ? 1 : 0
            return UInt8(truncatingIfNeeded: digit)
        }.reversed()
    }
}
