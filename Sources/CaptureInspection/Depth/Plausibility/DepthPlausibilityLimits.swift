/// When a depth map counts as flat (`DEPTH_PLANAR`) or as one of something held up (`DEPTH_FRAMED_PLANE`).
///
/// None of them is a setting: they define the two reasons, so that a result can be understood without a configuration.
struct DepthPlausibilityLimits {
    /// The number of samples, on an even grid: 48 × 36 of a phone's 256 × 192.
    let samplesMax = 1728
    /// The share of the samples that must be measurements for a decision.
    let measuredShareMin = 0.25
    /// The least number of values per line, and of lines, for a decision.
    let sideMin = 16
    /// How far a measurement may be off the plane that it belongs to, as a share of its distance.
    ///
    /// A phone's sensor errs by up to about 1 %.
    let tolerance = 0.015
    /// The share of the measurements that one plane has in a flat scene.
    let planarShareMin = 0.95
    /// How far the sensor measures, in metres, according to Apple about its LiDAR scanner.
    ///
    /// Values for places farther away are guesses, so that a plane out there is no evidence.
    let reachMax = 5.0
    /// The smallest share of the map that a plane held up covers.
    let heldShareMin = 0.25
    /// The share of the map from which on a plane held up may extend beyond the map's edge.
    let heldCutShareMin = 0.5
    /// The largest area of a plane held up, in square metres: twice a sheet of A2, and furniture is larger.
    let heldAreaMax = 0.5
    /// The greatest ratio of the farthest to the nearest distance of a plane held up.
    ///
    /// A screen is held so that it faces the camera; a table top is seen at an angle.
    let heldSlantMax = 1.5
    /// How much farther away the things around a plane held up are, as a share of its distance.
    let jumpMin = 0.15
    /// The share of its border that has farther things beyond it, which leaves room for the hands.
    ///
    /// A laptop's screen stands on its keyboard: things beyond less than 0.7 of its border are farther away.
    let jumpShareMin = 0.75
    /// How much its area may differ from that of the quadrilateral of its corners, where a disc has 0.57.
    let shapeErrorMax = 0.2
}
