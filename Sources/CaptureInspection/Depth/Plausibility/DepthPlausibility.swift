/// Tells a scene with depth from a plane, and from a plane held up to the camera: from a wall, a screen or a print of
/// which a picture was taken.
///
/// It knows nothing of the camera (see ``InversePlane``), looks at a bounded number of samples, and takes no chance:
/// the same map always shows the same.
///
/// ```swift
/// switch DepthPlausibility(limits: DepthPlausibilityLimits()).scene(map) { … }
/// ```
struct DepthPlausibility {
    /// What a depth map shows.
    enum Scene: Equatable {
        /// More than a plane, as far as can be told.
        case deep
        /// One plane: a wall, or a screen that fills the map.
        case planar
        /// A plane held up, with everything round it farther away.
        case heldPlane
        /// Nothing can be said: too few measurements, or a plane beyond the sensor's reach.
        case unclear
    }

    private let limits: DepthPlausibilityLimits

    /// The least share of a plane's measurements that lie in patches with nothing else in them.
    private static let wholePatchShare = 0.4
    /// How many planes are looked at sample by sample: four can have a quarter of the map each.
    private static let planesMax = 4
    /// What a phone's main camera, of 26 mm, sees of a wall 1 m away, in square metres: depth is recorded beside it.
    private static let viewArea = 1.3

    init(limits: DepthPlausibilityLimits) {
        self.limits = limits
    }

    /// Looks at a map.
    func scene(_ map: DepthMap) -> Scene {
        guard min(map.dimensions.width, map.dimensions.height) >= limits.sideMin else { return .unclear }
        let samples = DepthSamples(map, samplesMax: limits.samplesMax, sideMin: limits.sideMin)
        let count = Double(samples.distances.count)
        guard Double(samples.measured) >= limits.measuredShareMin * count else { return .unclear }
        let flatMin = limits.planarShareMin * Double(samples.measured)
        let heldMin = limits.heldShareMin * count
        for found in PlaneSearch(samples, tolerance: limits.tolerance).planes().prefix(Self.planesMax) {
            let most = Double(found.count) / Self.wholePatchShare
            let mayBeHeld = most >= heldMin && isHandy(limits.heldShareMin, at: found.mean)
            guard most >= flatMin || mayBeHeld else { continue }
            var region = PlaneRegion(samples, plane: found.plane, tolerance: Float(limits.tolerance))
            if Double(region.count) >= flatMin { return found.mean <= limits.reachMax ? .planar : .unclear }
            guard mayBeHeld, Double(region.count) >= heldMin else { continue }
            for middle in found.middles {
                guard let part = region.part(around: middle, countMin: heldMin) else { continue }
                let plane = HeldPlane(samples: samples, plane: found.plane, part: part)
                if isHandy(plane.share, at: found.mean), isHeld(plane) { return .heldPlane }
            }
        }
        return .deep
    }

    /// Whether what takes a share of the map at a distance is small enough to be held up.
    private func isHandy(_ share: Double, at distance: Double) -> Bool {
        share * Self.viewArea * distance * distance <= limits.heldAreaMax
    }

    /// Whether a plane faces the camera, has four corners, and has nothing but farther things round it.
    private func isHeld(_ plane: HeldPlane) -> Bool {
        guard Double(plane.slant) <= limits.heldSlantMax, Double(plane.part.shapeError) <= limits.shapeErrorMax
        else { return false }
        let mayBeCut = plane.share >= limits.heldCutShareMin
        return plane.jumpShare(by: Float(limits.jumpMin), mayBeCut: mayBeCut) >= limits.jumpShareMin
    }
}
