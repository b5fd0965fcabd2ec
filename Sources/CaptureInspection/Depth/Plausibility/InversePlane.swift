/// A plane as a pinhole camera sees it: the inverse of the distance is linear in the place in the picture, exactly and
/// whatever the camera's focal length.
///
/// With X = z·(x, y, 1) a plane n·X = d has 1/z = (n₁·x + n₂·y + n₃) / d. The distance z is along the optical axis, as
/// depth maps have it.
struct InversePlane {
    /// By how much the inverse distance, in 1/m, grows from the middle of the map to its right edge.
    let across: Float
    /// By how much it grows from the middle of the map to its lower edge.
    let down: Float
    /// What it is in the middle of the map.
    let middle: Float

    /// The inverse of the plane's distance at a place, from −1 to 1 each way; not positive beyond its horizon.
    func inverse(_ across: Float, _ down: Float) -> Float {
        self.across * across + (self.down * down + middle)
    }
}
