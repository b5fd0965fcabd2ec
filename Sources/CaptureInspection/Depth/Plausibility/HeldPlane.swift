/// A connected part of a plane, with the measures that show whether somebody holds it up to the camera.
struct HeldPlane {
    let samples: DepthSamples
    let plane: InversePlane
    let part: PlanePart

    /// How many samples beyond the border are searched for a jump: sensors blur edges.
    private static let reach = 2

    /// What is next to a sample of the border.
    private enum Beyond {
        /// Something much farther away.
        case jump
        /// The same surface continues, or something is in front of it.
        case other
        /// The map's edge.
        case edge
        /// Nothing was measured.
        case unknown
    }

    /// Its share of the map.
    var share: Double { Double(part.count) / Double(samples.distances.count) }

    /// The ratio of its farthest to its nearest distance; infinite when it reaches the horizon.
    var slant: Float {
        var (least, greatest) = (Float.infinity, Float.zero)
        for (row, extent) in part.rows.enumerated() where !extent.isEmpty {
            for column in [extent.first, extent.last] {
                let inverse = plane.inverse(samples.across[column], samples.down[row])
                least = min(least, inverse)
                greatest = max(greatest, inverse)
            }
        }
        return least > 0 ? greatest / least : .infinity
    }

    /// The share of its border beyond which things are farther away by at least a share of the plane's distance.
    ///
    /// 0 unless more of the border is known than unknown.
    /// - Parameter mayBeCut: Whether cuts by the map's edge are left out of the border, when it has fewer cuts than
    ///   jumps.
    func jumpShare(by jump: Float, mayBeCut: Bool) -> Double {
        var border: [Beyond] = []
        for (row, extent) in part.rows.enumerated() where !extent.isEmpty {
            border.append(beyond(extent.first, row, right: -1, jump))
            border.append(beyond(extent.last, row, right: 1, jump))
        }
        for (column, extent) in part.columns.enumerated() where !extent.isEmpty {
            border.append(beyond(column, extent.first, below: -1, jump))
            border.append(beyond(column, extent.last, below: 1, jump))
        }
        let jumps = border.count { $0 == .jump }
        let cuts = border.count { $0 == .edge }
        let unknown = border.count { $0 == .unknown }
        let known = border.count - unknown - (mayBeCut && cuts < jumps ? cuts : 0)
        return known > unknown ? Double(jumps) / Double(known) : 0
    }

    private func beyond(_ column: Int, _ row: Int, right: Int = 0, below: Int = 0, _ jump: Float) -> Beyond {
        var found = Beyond.edge
        for step in 1...Self.reach {
            let (column, row) = (column + step * right, row + step * below)
            guard samples.across.indices.contains(column), samples.down.indices.contains(row) else { break }
            let distance = samples.distances[row * samples.columns + column]
            if distance * plane.inverse(samples.across[column], samples.down[row]) >= 1 + jump { return .jump }
            if distance > 0 { found = .other } else if found == .edge { found = .unknown }
        }
        return found
    }
}
