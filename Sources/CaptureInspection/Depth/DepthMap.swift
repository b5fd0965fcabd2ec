/// A decoded depth map: distances in metres, line by line.
public struct DepthMap: Sendable, Equatable {
    /// How the bytes were packed.
    public enum Encoding: String, Sendable, CaseIterable {
        /// 32-bit little-endian floating-point numbers as they are.
        case raw
        /// One gzip member (RFC 1952).
        case gzip
        /// One zlib stream (RFC 1950).
        case zlib
        /// One deflate stream (RFC 1951).
        case deflate
    }

    /// How many values per line and lines.
    public let dimensions: DepthDimensions
    /// How the bytes were packed.
    public let encoding: Encoding
    /// The values as they were sent; may hold infinities and NaN, as sensors send them for "no measurement".
    public let values: [Float]
    /// What can be said of the values as a whole.
    public let summary: Summary

    /// What can be said of a depth map's values as a whole.
    public struct Summary: Sendable, Equatable {
        /// How many values are finite numbers.
        public let finite: Int
        /// How many values are finite and greater than zero: measurements.
        public let measured: Int
        /// The nearest measurement in metres; `nil` without any.
        public let nearest: Float?
        /// The farthest measurement in metres; `nil` without any.
        public let farthest: Float?
        /// The median of the measurements in metres, to within 1/16 of itself; `nil` without any.
        public let median: Float?
    }
}

extension DepthMap.Summary {
    /// Looks at each value once.
    ///
    /// The order of the bits of positive numbers is the order of the numbers (IEEE 754). So the extremes are those of
    /// whole numbers, and the median comes from counts per exponent and upper three bits of the
    /// fraction, without sorting.
    init(_ values: [Float]) {
        let infinity = Float.infinity.bitPattern
        var (finite, measured) = (0, 0)
        var (least, greatest) = (infinity, UInt32(0))
        var counts = [UInt32](repeating: 0, count: 1 << 11)
        for value in values {
            let bits = value.bitPattern
            finite += bits & infinity == infinity ? 0 : 1
            // Zero wraps round to the largest; negative numbers are above infinity.
            guard bits &- 1 < infinity - 1 else { continue }
            measured += 1
            least = min(least, bits)
            greatest = max(greatest, bits)
            counts[Int(bits >> 20)] += 1
        }
        let (nearest, farthest) = (Float(bitPattern: least), Float(bitPattern: greatest))
        self.finite = finite
        self.measured = measured
        self.nearest = measured > 0 ? nearest : nil
        self.farthest = measured > 0 ? farthest : nil
        var below = 0
        let middle = counts[Int(nearest.bitPattern >> 20)...].firstIndex { count in
            below += Int(count)
            return measured > 0 && below * 2 >= measured
        }
        // The middle of the bucket.
        self.median = middle.map { Float(bitPattern: UInt32($0) << 20 | 1 << 19) }
    }
}
