/// The divisors of a picture's 64 coefficients, in the zigzag order of DQT segments.
struct QuantizationTable {
    let values: [UInt8]

    /// Table K.1 of T.81 (luminance), finer for good quality.
    static let luminance = QuantizationTable(
        scaling: [
            16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58,
            51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103,
            62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
        ]
    )
    /// Table K.2 of T.81 (chrominance), finer for good quality.
    static let chrominance = QuantizationTable(
        scaling: [
            17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
            99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
            99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        ]
    )

    /// The quality that decoders call 90: a fifth of the standard's divisors.
    private init(scaling standard: [Int]) {
        values = standard.map { UInt8(max(1, ($0 * 20 + 50) / 100)) }
    }
}
