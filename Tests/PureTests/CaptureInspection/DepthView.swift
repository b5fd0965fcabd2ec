import DeviceSimulator

@testable import CaptureInspection

/// What a phone's camera has before it: how far away the nearest thing on the ray through (x, y, 1) is along its axis.
///
/// x is to the right, y down; nothing is infinitely far away.
struct DepthView {
    let distance: (_ x: Float, _ y: Float) -> Float

    /// Half of what the camera sees, 1 m away: to either side, and up and down.
    static let extent = SIMD2<Float>(0.65, 0.4875)

    /// The nearest of several things.
    static func all(_ views: [DepthView]) -> DepthView {
        DepthView { x, y in views.map { $0.distance(x, y) }.min() ?? .infinity }
    }

    /// A plane through a point.
    static func plane(_ normal: SIMD3<Float>, through point: SIMD3<Float>) -> DepthView {
        let offset = normal.dot(point)
        return DepthView { x, y in
            let distance = offset / normal.dot([x, y, 1])
            return distance > 0 ? distance : .infinity
        }
    }

    /// A wall that meets the camera's axis at a distance, turned away by angles about the upright and the level axis.
    static func wall(at distance: Float, yaw: Float = 0, pitch: Float = 0) -> DepthView {
        plane([yaw, pitch, 1], through: [0, 0, distance])
    }

    /// A rectangle or a disc that lies in a wall: a screen, a print, the front of a box.
    /// - Parameters:
    ///   - center: Where its middle is seen, 1 m away.
    ///   - half: Half of its width and height in metres.
    static func panel(
        at distance: Float, yaw: Float = 0, pitch: Float = 0, roll: Float = 0, center: SIMD2<Float> = .zero,
        half: SIMD2<Float>, isRound: Bool = false
    ) -> DepthView {
        let wall = wall(at: distance, yaw: yaw, pitch: pitch)
        let normal = SIMD3<Float>(yaw, pitch, 1).normalized
        let level = (SIMD3<Float>(1, 0, 0) - normal * normal.x).normalized
        let upright = normal.cross(level)
        // An angle by its sine is enough.
        let (sine, cosine) = (roll, (1 - roll * roll).squareRoot())
        let (right, down) = (level * cosine + upright * sine, upright * cosine - level * sine)
        let middle = SIMD3(center.x, center.y, 1) * wall.distance(center.x, center.y)
        return DepthView { x, y in
            let distance = wall.distance(x, y)
            guard distance.isFinite else { return .infinity }
            let place = SIMD3(x, y, 1) * distance - middle
            let (u, v) = (place.dot(right) / half.x, place.dot(down) / half.y)
            return (isRound ? u * u + v * v <= 1 : max(abs(u), abs(v)) <= 1) ? distance : .infinity
        }
    }

    /// A ball.
    static func ball(_ center: SIMD3<Float>, radius: Float) -> DepthView {
        DepthView { x, y in
            let ray = SIMD3(x, y, 1)
            let (along, square) = (ray.dot(center), ray.dot(ray))
            let discriminant = along * along - square * (center.dot(center) - radius * radius)
            let distance = (along - discriminant.squareRoot()) / square
            return discriminant > 0 && distance > 0 ? distance : .infinity
        }
    }

    /// An empty room of floor, ceiling, two walls and the one at the back.
    static func room(using random: inout SeededGenerator) -> DepthView {
        all([
            wall(at: .random(in: 3.2...4.8, using: &random)),
            plane([0, 1, 0], through: [0, .random(in: 0.9...1.3, using: &random), 0]),
            plane([0, 1, 0], through: [0, -.random(in: 0.9...1.3, using: &random), 0]),
            plane([1, 0, 0], through: [.random(in: 1...2, using: &random), 0, 0]),
            plane([1, 0, 0], through: [-.random(in: 1...2, using: &random), 0, 0]),
        ])
    }

    /// What the sensor makes of it.
    /// - Parameters:
    ///   - noise: By which share of the distance it errs at the most.
    ///   - lost: Which share of the values it does not measure.
    func map(_ width: Int = 96, _ height: Int = 72, noise: Float = 0, lost: Float = 0, seed: UInt64 = 0) -> DepthMap {
        var random = SeededGenerator(seed: seed)
        var values: [Float] = []
        for row in 0..<height {
            for column in 0..<width {
                let x = ((2 * Float(column) + 1) / Float(width) - 1) * Self.extent.x
                let y = ((2 * Float(row) + 1) / Float(height) - 1) * Self.extent.y
                let isLost = lost > 0 && .random(in: 0..<1, using: &random) < lost
                let error = noise > 0 ? Float.random(in: -noise...noise, using: &random) : 0
                values.append(isLost ? .nan : distance(x, y) * (1 + error))
            }
        }
        return DepthMap(width, height, values)
    }
}

extension DepthMap {
    /// A map of these values.
    init(_ width: Int, _ height: Int, _ values: [Float]) {
        guard let dimensions = DepthDimensions(width: width, height: height), values.count == dimensions.values else {
            preconditionFailure("not a map's values")
        }
        self.init(dimensions: dimensions, encoding: .raw, values: values, summary: Summary(values))
    }

    /// The values as they are uploaded.
    var bytes: [UInt8] {
        values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init) }
    }
}

extension SIMD3<Float> {
    fileprivate var normalized: Self { self / dot(self).squareRoot() }

    fileprivate func dot(_ other: Self) -> Float { (self * other).sum() }

    fileprivate func cross(_ other: Self) -> Self {
        [y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x]
    }
}
