/// Finds the planes of a depth map, starting from patches that are flat.
///
/// The plane of a patch collects the patches that lie in it and is fitted to all of them. Random hypotheses, as in
/// RANSAC, would need a hundred draws to find a plane with a quarter of the samples; here every flat patch of it finds
/// it.
struct PlaneSearch {
    /// A plane that patches lie in.
    struct Found {
        /// The plane that fits them best.
        let plane: InversePlane
        /// The mean distance of their measurements in metres.
        let mean: Double
        /// The number of their measurements.
        let count: Int
        /// The samples in the middles of the patches, as indices.
        let middles: [Int]
    }

    private let patches: [PlaneMoments]
    private let middles: [Int]
    private let tolerance: Double

    /// Samples along the side of a patch.
    ///
    /// So few that a plane with a quarter of the map contains whole patches, and so many that noise hardly tilts a
    /// patch.
    private static let patchSide = 6

    /// Divides the samples into patches.
    init(_ samples: DepthSamples, tolerance: Double) {
        let (across, down) = (max(1, samples.columns / Self.patchSide), max(1, samples.rows / Self.patchSide))
        var patches = [PlaneMoments](repeating: PlaneMoments(), count: across * down)
        for row in 0..<samples.rows {
            let first = row * down / samples.rows * across
            for column in 0..<samples.columns {
                let distance = samples.distances[row * samples.columns + column]
                guard distance > 0 else { continue }
                patches[first + column * across / samples.columns].add(
                    distance, samples.across[column], samples.down[row])
            }
        }
        self.patches = patches
        self.tolerance = tolerance
        middles = patches.indices.map { index in
            let row = (2 * (index / across) + 1) * samples.rows / (2 * down)
            return row * samples.columns + (2 * (index % across) + 1) * samples.columns / (2 * across)
        }
    }

    /// The planes, those with most measurements first; a patch that a plane has collected starts no other.
    func planes() -> [Found] {
        var isTaken = [Bool](repeating: false, count: patches.count)
        var found: [Found] = []
        for index in patches.indices where !isTaken[index] {
            guard let plane = plane(from: patches[index]) else { continue }
            var moments = PlaneMoments()
            var middles: [Int] = []
            for other in patches.indices where fits(patches[other], plane, within: tolerance) {
                isTaken[other] = true
                moments.add(patches[other])
                middles.append(self.middles[other])
            }
            found.append(Found(plane: plane, mean: moments.mean, count: moments.count, middles: middles))
        }
        return found.sorted { $0.count > $1.count }
    }

    /// The plane through a patch and those that lie in it; `nil` when the patch is not flat or the plane drifts off it.
    private func plane(from patch: PlaneMoments) -> InversePlane? {
        // Fewer measurements fit any plane.
        guard patch.count >= Self.patchSide * Self.patchSide / 4, var plane = patch.fit(),
            fits(patch, plane, within: tolerance)
        else { return nil }
        // The plane of a single patch is less certain farther away, so the first round has a wider tolerance.
        for factor in [2.0, 1] {
            var gathered = PlaneMoments()
            for other in patches where fits(other, plane, within: factor * tolerance) { gathered.add(other) }
            guard let next = gathered.fit() else { return nil }
            plane = next
        }
        return fits(patch, plane, within: tolerance) ? plane : nil
    }

    private func fits(_ patch: PlaneMoments, _ plane: InversePlane, within tolerance: Double) -> Bool {
        patch.count > 0 && patch.error(plane) <= tolerance * tolerance
    }
}
