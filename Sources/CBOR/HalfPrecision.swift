/// IEEE 754 binary16 by hand, because `Float16` does not exist on every platform that this package builds for.
enum HalfPrecision {
    /// The number that 16 bits encode (RFC 8949, appendix D).
    static func value(of bits: UInt16) -> Double {
        let exponent = Int(bits >> 10 & 0x1F)
        let fraction = Double(bits & 0x3FF)
        let magnitude: Double =
            switch exponent {
            case 0: fraction * power(-24)
            case 31: fraction == 0 ? .infinity : .nan
            default: (fraction + 1024) * power(exponent - 25)
            }
        return bits & 0x8000 == 0 ? magnitude : -magnitude
    }

    /// The 16 bits of a number, if they can hold it exactly; `nil` otherwise and for NaN.
    static func bits(of number: Double) -> UInt16? {
        let sign: UInt16 = number.sign == .minus ? 0x8000 : 0
        let magnitude = number.magnitude
        if magnitude == 0 { return sign }
        if magnitude == .infinity { return sign | 0x7C00 }
        if magnitude >= power(-14) {
            guard magnitude < power(16) else { return nil }
            let exponent = Int(magnitude.exponent)
            let fraction = magnitude * power(10 - exponent) - 1024
            guard let whole = UInt16(exactly: fraction) else { return nil }
            return sign | UInt16(exponent + 15) << 10 | whole
        }
        guard let whole = UInt16(exactly: magnitude * power(24)) else { return nil }
        return sign | whole
    }

    private static func power(_ exponent: Int) -> Double {
        Double(sign: .plus, exponent: exponent, significand: 1)
    }
}
