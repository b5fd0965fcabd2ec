/// A plane as a pinhole camera sees it: the inverse of the distance is linear in the place in the picture.
///
/// That is exact for every focal length. With X = z·(x, y, 1) a plane n·X = d has 1/z = (n₁·x + n₂·y + n₃) / d. The
/// distance z is along the optical axis, as in depth maps.
struct InversePlane {
    /// The increase of the inverse distance, in 1/m, from the middle of the map to its right edge.
    let across: Float
    /// The increase from the middle of the map to its lower edge.
    let down: Float
    /// The inverse distance in the middle of the map.
    let middle: Float

    /// The inverse of the plane's distance at a place, from −1 to 1 each way; not positive beyond its horizon.
    func inverse(_ across: Float, _ down: Float) -> Float {
        self.across * across + (self.down * down + middle)
    }
}
