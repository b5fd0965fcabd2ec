/// A sample of a depth map's values on an even grid, line by line.
struct DepthSamples {
    /// Samples per line.
    let columns: Int
    /// Lines of samples.
    let rows: Int
    /// The place of each column in the map, from −1 at the left to 1.
    let across: [Float]
    /// The place of each line in the map, from −1 at the top to 1.
    let down: [Float]
    /// Distances in metres; 0 where nothing was measured.
    let distances: [Float]
    /// How many samples are measurements.
    let measured: Int

    /// Distances in metres that a sensor can measure; others count as not measured.
    ///
    /// Their squares and the sums of the squares stay far from the limits of floating-point numbers.
    static let measurable: ClosedRange<Float> = 0.01...1000

    /// Takes at most `samplesMax` samples, in columns and lines that fit the map's shape.
    ///
    /// The map has at least `sideMin` values each way and gets at least as many samples each way; `samplesMax` allows
    /// for that.
    init(_ map: DepthMap, samplesMax: Int, sideMin: Int) {
        let (width, height) = (map.dimensions.width, map.dimensions.height)
        let fitting = Int((Double(samplesMax) * Double(height) / Double(width)).squareRoot())
        rows = min(height, max(sideMin, min(fitting, samplesMax / sideMin)))
        columns = min(width, samplesMax / rows)
        let (columns, rows) = (columns, rows)
        let places = (0..<columns).map { (2 * $0 + 1) * width / (2 * columns) }
        let lines = (0..<rows).map { (2 * $0 + 1) * height / (2 * rows) }
        across = places.map { (2 * Float($0) + 1) / Float(width) - 1 }
        down = lines.map { (2 * Float($0) + 1) / Float(height) - 1 }
        var distances: [Float] = []
        distances.reserveCapacity(rows * columns)
        var measured = 0
        for line in lines {
            for place in places {
                let distance = Self.distance(map.values, line * width, place, width)
                if distance > 0 { measured += 1 }
                distances.append(distance)
            }
        }
        self.distances = distances
        self.measured = measured
    }

    /// The median of a value and its neighbours in the line, which removes noise and preserves edges.
    private static func distance(_ values: [Float], _ start: Int, _ place: Int, _ width: Int) -> Float {
        let value = values[start + place]
        guard measurable.contains(value) else { return 0 }
        guard place > 0, place < width - 1 else { return value }
        let (before, after) = (values[start + place - 1], values[start + place + 1])
        guard measurable.contains(before), measurable.contains(after) else { return value }
        return max(min(before, after), min(max(before, after), value))
    }
}
