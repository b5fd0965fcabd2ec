/// The samples of a depth map that lie in one plane, and the parts of them that hang together.
struct PlaneRegion {
    /// How many samples lie in the plane.
    let count: Int
    private let samples: DepthSamples
    /// Whether each sample lies in the plane and was in no part so far, with a ring of `false` round the map.
    private var isFree: [Bool]
    private let stride: Int
    /// The samples of the part that was taken last, as indices of `isFree`.
    private var places: [Int] = []

    /// Tells which samples lie in a plane, to within a share of their distance.
    init(_ samples: DepthSamples, plane: InversePlane, tolerance: Float) {
        self.samples = samples
        stride = samples.columns + 2
        var isFree = [Bool](repeating: false, count: stride * (samples.rows + 2))
        var count = 0
        for row in 0..<samples.rows {
            for column in 0..<samples.columns {
                let inverse = plane.inverse(samples.across[column], samples.down[row])
                let error = samples.distances[row * samples.columns + column] * inverse - 1
                // What was not measured is off by all of its distance.
                guard abs(error) <= tolerance else { continue }
                isFree[(row + 1) * stride + column + 1] = true
                count += 1
            }
        }
        self.isFree = isFree
        self.count = count
        places.reserveCapacity(count)
    }

    /// Takes the part that hangs together with a sample.
    ///
    /// `nil` when the sample does not lie in the plane or was in a part before, or the part has fewer than `countMin`.
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
