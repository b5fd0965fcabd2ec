/// The shape in which a phone's sensor records depth maps, found from the values alone.
///
/// The sender can choose any shape that is not signed: in lines of a wrong length, a wall is torn apart and looks deep.
///
/// ```swift
/// let shape = SensorShape(count: map.values.count)?.dimensions(of: map.values)
/// ```
struct SensorShape {
    /// The shape as the sensor lies in a phone that is held sideways: lines are longer than columns.
    let lying: DepthDimensions
    /// The shape turned upright, as some apps do.
    let standing: DepthDimensions

    /// ARKit's maps, then those of the LiDAR camera in AVFoundation; no two have the same number of values.
    private static let known: [SensorShape] = [
        (256, 192), (320, 180), (320, 240), (640, 360), (640, 480), (768, 432), (768, 576),
    ].compactMap {
        SensorShape(width: $0.0, height: $0.1)
    }

    /// How many places are examined.
    private static let placesMax = 1728
    /// Neighbours whose distances differ by more than this share count as a break: more than a sensor's noise.
    private static let breakMin: Float = 0.015
    /// A map is upright when reading it lying gives this many times the breaks; lines that are all equal give 4/3.
    private static let breaksRatio = 1.5
    /// The additional breaks that are needed, as a share of the places; fewer do not hide a plane.
    private static let breaksShare = 0.02

    private init?(width: Int, height: Int) {
        guard let lying = DepthDimensions(width: width, height: height),
            let standing = DepthDimensions(width: height, height: width)
        else { return nil }
        self.lying = lying
        self.standing = standing
    }

    /// The shape of maps with `count` values; `nil` when no known sensor records maps of this size.
    init?(count: Int) {
        guard let shape = Self.known.first(where: { $0.lying.values == count }) else { return nil }
        self = shape
    }

    /// Whether these are its dimensions, lying or standing.
    func matches(_ dimensions: DepthDimensions) -> Bool { dimensions == lying || dimensions == standing }

    /// The recorded dimensions of a map with these values, lying or standing, found by how well its lines fit together.
    func dimensions(of values: [Float]) -> DepthDimensions {
        let (upright, level) = (breaks(in: values, width: standing.width), breaks(in: values, width: lying.width))
        let most = Self.breaksRatio * Double(upright) + Self.breaksShare * Double(Self.placesMax)
        return Double(level) > most ? standing : lying
    }

    /// At how many places the value in the next line belongs to another surface, with lines of `width` values.
    private func breaks(in values: [Float], width: Int) -> Int {
        let room = values.count - lying.width
        return (0..<Self.placesMax).count { number in
            let place = (2 * number + 1) * room / (2 * Self.placesMax)
            let (value, below) = (values[place], values[place + width])
            guard DepthSamples.measurable.contains(value), DepthSamples.measurable.contains(below) else { return false }
            return abs(value - below) > Self.breakMin * min(value, below)
        }
    }
}

extension DepthMap {
    /// The same values in lines of another length.
    /// - Parameter dimensions: Dimensions with the same number of values.
    func read(in dimensions: DepthDimensions) -> DepthMap {
        precondition(dimensions.values == values.count)
        return DepthMap(dimensions: dimensions, encoding: encoding, values: values, summary: summary)
    }
}
