/// The samples of a depth map that lie in one plane, and their connected parts.
struct PlaneRegion {
    /// How many samples lie in the plane.
    let count: Int
    private let samples: DepthSamples
    /// Whether each sample lies in the plane and belongs to no part yet, with a ring of `false` around the map.
    private var isFree: [Bool]
    private let stride: Int
    /// The samples of the latest part, as indices of `isFree`.
    private var places: [Int] = []

    /// Finds the samples that lie in a plane, within a share of their distance.
    init(_ samples: DepthSamples, plane: InversePlane, tolerance: Float) {
        self.samples = samples
        stride = samples.columns + 2
        var isFree = [Bool](repeating: false, count: stride * (samples.rows + 2))
        var count = 0
        for row in 0..<samples.rows {
            for column in 0..<samples.columns {
                let inverse = plane.inverse(samples.across[column], samples.down[row])
                let error = samples.distances[row * samples.columns + column] * inverse - 1
                // A sample that was not measured has distance 0, and so an error of 1.
                guard abs(error) <= tolerance else { continue }
                isFree[(row + 1) * stride + column + 1] = true
                count += 1
            }
        }
        self.isFree = isFree
        self.count = count
        places.reserveCapacity(count)
    }

    /// Takes the connected part that contains a sample.
    ///
    /// `nil` when the sample is not in the plane or already in a part, or the part has fewer than `countMin` samples.
    mutating func part(around sample: Int, countMin: Double) -> PlanePart? {
        let start = (sample / samples.columns + 1) * stride + sample % samples.columns + 1
        guard isFree[start] else { return nil }
        let steps = [-1, 1, -stride, stride]
        places.removeAll(keepingCapacity: true)
        places.append(start)
        isFree[start] = false
        var next = 0
        while next < places.count {
            for step in steps where isFree[places[next] + step] {
                isFree[places[next] + step] = false
                places.append(places[next] + step)
            }
            next += 1
        }
        guard Double(places.count) >= countMin else { return nil }
        var part = PlanePart(columns: samples.columns, rows: samples.rows, count: places.count)
        for place in places { part.take(column: place % stride - 1, row: place / stride - 1) }
        return part
    }
}
