/// A furnished room in front of the camera, which both photo and depth map of a synthetic capture show.
///
/// It has a floor, walls and round things at several distances, where a photo of a screen would have one plane, so the
/// checks for a plausible depth map pass.
struct SyntheticScene {
    /// The first surface that a ray meets.
    struct Hit {
        /// Distance along the optical axis in metres, as LiDAR depth maps give it.
        var depth: Float
        /// The surface as an index into ``SyntheticScene/surfaces``.
        var surface: Int
    }

    /// The colour of a surface in JPEG's colour space.
    struct Surface {
        var luma: Float
        var blue: Float
        var red: Float
        /// How much fine structure it shows, from 0 to 3.
        var roughness: Int
    }

    private struct Ball {
        var x: Float, y: Float, z: Float, radius: Float
    }

    private let floor: Float
    private let ceiling: Float
    private let left: Float
    private let right: Float
    private let back: Float
    private let balls: [Ball]
    let surfaces: [Surface]

    /// Furnishes a room at random.
    init(using generator: inout some RandomNumberGenerator) {
        floor = -generator.between(1.0, 1.5)
        ceiling = generator.between(1.1, 1.6)
        left = -generator.between(1.6, 2.6)
        right = generator.between(1.6, 2.6)
        back = generator.between(3.2, 4.8)
        let lowest = floor
        balls = (0..<4).map { _ in
            let radius = generator.between(0.18, 0.45)
            return Ball(
                x: generator.between(-1, 1), y: lowest + radius + generator.between(0, 0.8),
                z: generator.between(1.2, 2.8), radius: radius
            )
        }
        surfaces = (0..<(5 + 4)).map { _ in
            Surface(
                luma: generator.between(-70, 90), blue: generator.between(-40, 40), red: generator.between(-40, 40),
                roughness: Int(generator.next() % 4)
            )
        }
    }

    /// Finds what one ray meets.
    /// - Parameters:
    ///   - horizontal: From −1 at the left edge of the picture to 1 at the right one.
    ///   - vertical: From −1 at the lower edge to 1 at the upper one.
    func hit(_ horizontal: Float, _ vertical: Float) -> Hit {
        // Half the field of view of a phone's main camera: about 33° across, 26° up and down.
        let x = horizontal * 0.65
        let y = vertical * 0.4875
        var nearest = Hit(depth: back, surface: 0)
        if y < 0 { nearest = nearer(nearest, floor / y, 1) }
        if y > 0 { nearest = nearer(nearest, ceiling / y, 2) }
        if x < 0 { nearest = nearer(nearest, left / x, 3) }
        if x > 0 { nearest = nearer(nearest, right / x, 4) }
        let square = x * x + y * y + 1
        var index = 5
        for ball in balls {
            let along = x * ball.x + y * ball.y + ball.z
            let distance = ball.x * ball.x + ball.y * ball.y + ball.z * ball.z - ball.radius * ball.radius
            let discriminant = along * along - square * distance
            if discriminant > 0 { nearest = nearer(nearest, (along - discriminant.squareRoot()) / square, index) }
            index += 1
        }
        return nearest
    }

    private func nearer(_ nearest: Hit, _ depth: Float, _ surface: Int) -> Hit {
        depth > 0.1 && depth < nearest.depth ? Hit(depth: depth, surface: surface) : nearest
    }
}
