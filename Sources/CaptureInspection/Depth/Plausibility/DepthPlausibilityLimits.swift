/// When a depth map counts as flat (`DEPTH_PLANAR`) or as one of something held up (`DEPTH_FRAMED_PLANE`).
///
/// None of them is a setting: they define the two reasons, so that a result can be understood without a configuration.
package struct DepthPlausibilityLimits: Sendable, Equatable {
    /// The number of samples, on an even grid; default 1728, which is 48 × 36 of a phone's 256 × 192.
    package var samplesMax: Int
    /// The share of the samples that must be measurements for a decision; default 0.25.
    package var measuredShareMin: Double
    /// The least number of values per line, and of lines, for a decision; default 16.
    package var sideMin: Int
    /// How far a measurement may be off the plane that it belongs to, as a share of its distance; default 0.015.
    ///
    /// A phone's sensor errs by up to about 1 %.
    package var tolerance: Double
    /// The share of the measurements that one plane has in a flat scene; default 0.95.
    package var planarShareMin: Double
    /// How far the sensor measures, in metres; default 5, according to Apple about its LiDAR scanner.
    ///
    /// Values for places farther away are guesses, so that a plane out there is no evidence.
    package var reachMax: Double
    /// The smallest share of the map that a plane held up covers; default 0.25.
    package var heldShareMin: Double
    /// The share of the map from which on a plane held up may extend beyond the map's edge; default 0.5.
    package var heldCutShareMin: Double
    /// The largest area of a plane held up, in square metres; default 0.5, twice a sheet of A2: furniture is larger.
    package var heldAreaMax: Double
    /// The greatest ratio of the farthest to the nearest distance of a plane held up; default 1.5.
    ///
    /// A screen is held so that it faces the camera; a table top is seen at an angle.
    package var heldSlantMax: Double
    /// How much farther away the things around a plane held up are, as a share of its distance; default 0.15.
    package var jumpMin: Double
    /// The share of its border that has farther things beyond it; default 0.75, which leaves room for the hands.
    ///
    /// A laptop's screen stands on its keyboard: things beyond less than 0.7 of its border are farther away.
    package var jumpShareMin: Double
    /// How much its area may differ from that of the quadrilateral of its corners; default 0.2, a disc has 0.57.
    package var shapeErrorMax: Double

    /// Takes limits; shares are from 0 to 1, the rest is positive.
    package init(
        samplesMax: Int = 1728, measuredShareMin: Double = 0.25, sideMin: Int = 16, tolerance: Double = 0.015,
        planarShareMin: Double = 0.95, reachMax: Double = 5, heldShareMin: Double = 0.25,
        heldCutShareMin: Double = 0.5, heldAreaMax: Double = 0.5, heldSlantMax: Double = 1.5, jumpMin: Double = 0.15,
        jumpShareMin: Double = 0.75, shapeErrorMax: Double = 0.2
    ) {
        precondition(sideMin > 1 && samplesMax >= sideMin * sideMin)
        let shares = [measuredShareMin, planarShareMin, heldShareMin, heldCutShareMin, jumpShareMin]
        precondition(shares.allSatisfy { (0...1).contains($0) })
        precondition([tolerance, reachMax, heldAreaMax, heldSlantMax, jumpMin, shapeErrorMax].allSatisfy { $0 > 0 })
        self.samplesMax = samplesMax
        self.measuredShareMin = measuredShareMin
        self.sideMin = sideMin
        self.tolerance = tolerance
        self.planarShareMin = planarShareMin
        self.reachMax = reachMax
        self.heldShareMin = heldShareMin
        self.heldCutShareMin = heldCutShareMin
        self.heldAreaMax = heldAreaMax
        self.heldSlantMax = heldSlantMax
        self.jumpMin = jumpMin
        self.jumpShareMin = jumpShareMin
        self.shapeErrorMax = shapeErrorMax
    }
}
