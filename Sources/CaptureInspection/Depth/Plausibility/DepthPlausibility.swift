/// Tells a scene with depth from a plane, such as a wall, and from a screen or print held up to the camera.
///
/// It knows nothing of the camera (see ``InversePlane``), takes a bounded number of samples, and uses no random
/// numbers: the same map always gives the same result.
///
/// ```swift
/// switch DepthPlausibility().scene(map) { … }
/// ```
struct DepthPlausibility {
    /// What a depth map shows.
    enum Scene: Equatable {
        /// More than a plane, as far as can be known.
        case deep
        /// One plane: a wall, or a screen that fills the map.
        case planar
        /// A plane held up, with farther things all around it.
        case heldPlane
        /// Undecided: too few measurements, or a plane beyond the sensor's reach.
        case unclear
    }

    private let limits = DepthPlausibilityLimits()

    /// At least this share of a plane's measurements lies in patches that contain nothing else.
    private static let wholePatchShare = 0.4
    /// How many planes are examined sample by sample: at most four planes can have a quarter of the map each.
    private static let planesMax = 4
    /// The square metres of a wall 1 m away that a phone's main camera (26 mm) sees; the depth map shows the same.
    private static let viewArea = 1.3

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

    /// Whether a thing that covers a share of the map at a distance is small enough to be held up.
    private func isHandy(_ share: Double, at distance: Double) -> Bool {
        share * Self.viewArea * distance * distance <= limits.heldAreaMax
    }

    /// Whether a plane faces the camera, has four corners, and is surrounded by farther things.
    private func isHeld(_ plane: HeldPlane) -> Bool {
        guard Double(plane.slant) <= limits.heldSlantMax, Double(plane.part.shapeError) <= limits.shapeErrorMax
        else { return false }
        let mayBeCut = plane.share >= limits.heldCutShareMin
        return plane.jumpShare(by: Float(limits.jumpMin), mayBeCut: mayBeCut) >= limits.jumpShareMin
    }
}
