import CMultiBufferP256
import CProcessor
import DeviceSimulator
import ReferenceP256
import TestSupport
import Testing

/// The arithmetic below the points against libcrypto's, where a carry that is lost would hide: random signatures would
/// hardly ever meet it.
@Suite struct LaneArithmeticTests {
    /// The limbs that carries are made of.
    private static let limbs: [UInt64] = [0, 1, 2, 1 << 51, (1 << 52) - 2, (1 << 52) - 1]

    private static func limb(_ random: inout SeededGenerator) -> UInt64 {
        Bool.random(using: &random)
            ? limbs.randomElement(using: &random) ?? 0 : UInt64.random(in: 0..<(1 << 52), using: &random)
    }

    /// A number of normal limbs below so many times the modulus: both moduli have the same highest limb.
    private static func number(below times: UInt64, _ random: inout SeededGenerator) -> [UInt64] {
        let top = 0xffff_ffff_0000 * times - 1
        let ends: [UInt64] = [0, 1, top - 1, top]
        let highest = ends.randomElement(using: &random) ?? 0
        let any = UInt64.random(in: 0...top, using: &random)
        let lower = (0..<4).map { _ in limb(&random) }
        return lower + [Bool.random(using: &random) ? highest : any]
    }

    /// Limbs of either sign, of a number that is not negative and below 64 times 2^256.
    private static func signedLimbs(_ random: inout SeededGenerator) -> [UInt64] {
        let any = UInt64.random(in: 64..<(63 << 48), using: &random)
        // If the top limb is below 64, the others decide the sign: make them positive and large enough.
        let few = Int64.random(in: -63...0, using: &random)
        let tops: [Int64] = [few, 64, 1 << 48, (1 << 48) + 63, 63 << 48, Int64(any)]
        let top = tops.randomElement(using: &random) ?? 64
        var lower = (0..<4).map { _ in
            let limb = Int64(limb(&random)) << Int64.random(in: 0...5, using: &random)
            return top >= 64 && Bool.random(using: &random) ? -limb : limb
        }
        if top < 0 { lower[3] += -top << 52 }
        return (lower + [top]).map { UInt64(bitPattern: $0) }
    }

    /// Does an operation in all lanes, and looks at each.
    private static func check(
        _ operation: cmb_p256_operation, _ a: [[UInt64]], _ b: [[UInt64]], _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let inLanes = { (numbers: [[UInt64]]) in (0..<5).flatMap { limb in numbers.map { $0[limb] } } }
        var result = [UInt64](repeating: 0, count: 40)
        cmb_p256_operate(operation, inLanes(a), inLanes(b), &result)
        for lane in 0..<8 {
            let found = (0..<5).map { result[8 * $0 + lane] }
            #expect(
                reference_is_right(operation, a[lane], b[lane], found),
                "\(what) in lane \(lane): \(a[lane]), \(b[lane]) came to \(found)", sourceLocation: sourceLocation)
        }
    }

    private static func orCancel() throws {
        guard cmb_p256_is_available(processor_features_read()) else {
            try Test.cancel("this processor has no AVX-512 IFMA")
        }
    }

    @Test(arguments: [
        (CMB_P256_FIELD_PRODUCT, "field product"), (CMB_P256_FIELD_SQUARE, "field square"),
        (CMB_P256_ORDER_PRODUCT, "order product"), (CMB_P256_ORDER_SQUARE, "order square"),
    ])
    func `products are right and small`(_ operation: cmb_p256_operation, _ what: String) throws {
        try Self.orCancel()
        var random = SeededGenerator(seed: testSeed("multi-buffer P-256: \(what)"))
        for times: UInt64 in [1, 2, 4] {
            for _ in 0..<300 {
                let a = (0..<8).map { _ in Self.number(below: times, &random) }
                let b = (0..<8).map { _ in Self.number(below: times, &random) }
                Self.check(operation, a, b, what)
            }
        }
    }

    /// Between the formulas' steps limbs are signed and far from normal.
    @Test func `reductions are right and small`() throws {
        try Self.orCancel()
        var random = SeededGenerator(seed: testSeed("multi-buffer P-256: reduction"))
        for _ in 0..<1_000 {
            let a = (0..<8).map { _ in Self.signedLimbs(&random) }
            Self.check(CMB_P256_FIELD_REDUCTION, a, a, "reduction")
        }
    }
}
