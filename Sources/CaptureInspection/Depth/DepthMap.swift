/// A decoded depth map: distances in metres, line by line.
package struct DepthMap: Sendable, Equatable {
    /// How the bytes were packed.
    package enum Encoding: String, Sendable, CaseIterable {
        /// Plain 32-bit little-endian floating-point numbers.
        case raw
        /// One gzip member (RFC 1952).
        case gzip
        /// One zlib stream (RFC 1950).
        case zlib
        /// One deflate stream (RFC 1951).
        case deflate
    }

    /// The number of values per line and the number of lines.
    package let dimensions: DepthDimensions
    /// How the bytes were packed.
    package let encoding: Encoding
    /// The values as they were sent; may hold infinities and NaN, as sensors send them for "no measurement".
    package let values: [Float]
    /// Statistics of the values.
    package let summary: Summary

    /// Statistics of a depth map's values.
    package struct Summary: Sendable, Equatable {
        /// How many values are finite and greater than zero: measurements.
        package let measured: Int
        /// The nearest measurement in metres; `nil` without any.
        package let nearest: Float?
        /// The farthest measurement in metres; `nil` without any.
        package let farthest: Float?
    }
}

extension DepthMap.Summary {
    /// Computes them in one pass.
    ///
    /// The bits of positive numbers are ordered as the numbers are (IEEE 754), so the extremes are found with integers.
    init(_ values: [Float]) {
        let infinity = Float.infinity.bitPattern
        var measured = 0
        var (least, greatest) = (infinity, UInt32(0))
        for value in values {
            let bits = value.bitPattern
            // Zero wraps round to the largest number; negative numbers are above infinity.
            guard bits &- 1 < infinity - 1 else { continue }
            measured += 1
            least = min(least, bits)
            greatest = max(greatest, bits)
        }
        self.measured = measured
        self.nearest = measured > 0 ? Float(bitPattern: least) : nil
        self.farthest = measured > 0 ? Float(bitPattern: greatest) : nil
    }
}
