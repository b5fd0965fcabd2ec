/// The sums from which a plane is fitted to measurements by least squares, without keeping the measurements.
///
/// The error of a measurement z at (u, v) is z·(a·u + b·v + c) − 1: its distance from the plane as a share of z.
struct PlaneMoments {
    /// Sums of z² with the products of u, v and 1: the matrix of the normal equations.
    private var uu = 0.0, uv = 0.0, u = 0.0, vv = 0.0, v = 0.0, one = 0.0
    /// Sums of z with u, v and 1: their right-hand side.
    private var right = 0.0, below = 0.0, sum = 0.0
    /// How many measurements there are.
    private(set) var count = 0

    /// The measurements' mean distance in metres; not a number without any.
    var mean: Double { sum / Double(count) }

    /// Adds a measurement.
    mutating func add(_ distance: Float, _ across: Float, _ down: Float) {
        let z = Double(distance)
        let (zu, zv) = (z * Double(across), z * Double(down))
        uu += zu * zu
        uv += zu * zv
        u += zu * z
        vv += zv * zv
        v += zv * z
        one += z * z
        right += zu
        below += zv
        sum += z
        count += 1
    }

    /// Adds the measurements of another one.
    mutating func add(_ other: PlaneMoments) {
        uu += other.uu
        uv += other.uv
        u += other.u
        vv += other.vv
        v += other.v
        one += other.one
        right += other.right
        below += other.below
        sum += other.sum
        count += other.count
    }

    /// The plane with the least squared error; `nil` when it is ambiguous, because the measurements lie on a line.
    func fit() -> InversePlane? {
        // Cramer's rule, with the cofactors of a symmetric matrix.
        let (uuCofactor, uvCofactor, uCofactor) = (vv * one - v * v, u * v - uv * one, uv * v - u * vv)
        let (vvCofactor, vCofactor, oneCofactor) = (uu * one - u * u, uv * u - uu * v, uu * vv - uv * uv)
        let determinant = uu * uuCofactor + uv * uvCofactor + u * uCofactor
        guard determinant > 1e-9 * uu * vv * one else { return nil }
        return InversePlane(
            across: Float((uuCofactor * right + uvCofactor * below + uCofactor * sum) / determinant),
            down: Float((uvCofactor * right + vvCofactor * below + vCofactor * sum) / determinant),
            middle: Float((uCofactor * right + vCofactor * below + oneCofactor * sum) / determinant))
    }

    /// The mean squared error of the measurements from a plane; not a number without any.
    func error(_ plane: InversePlane) -> Double {
        let (a, b, c) = (Double(plane.across), Double(plane.down), Double(plane.middle))
        let squares = a * (a * uu + 2 * (b * uv + c * u)) + b * (b * vv + 2 * c * v) + c * c * one
        return (squares - 2 * (a * right + b * below + c * sum)) / Double(count) + 1
    }
}
