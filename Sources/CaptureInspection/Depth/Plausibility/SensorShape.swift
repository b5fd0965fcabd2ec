/// The shape in which a phone's sensor records depth maps, told by nothing but the values.
///
/// A shape that nobody signed is whatever its sender likes: with other lines than it was recorded in, a wall is torn to
/// pieces and looks deep.
///
/// ```swift
/// let shape = SensorShape(count: map.values.count)?.dimensions(of: map.values)
/// ```
struct SensorShape {
    /// As the sensor lies in a phone that is held sideways: lines are longer than columns.
    let lying: DepthDimensions
    /// The same turned upright, as some apps do.
    let standing: DepthDimensions

    /// ARKit's maps, then those of the LiDAR camera in AVFoundation; no two have as many values.
    private static let known: [SensorShape] = [
        (256, 192), (320, 180), (320, 240), (640, 360), (640, 480), (768, 432), (768, 576),
    ].compactMap {
        SensorShape(width: $0.0, height: $0.1)
    }

    /// How many places are looked at.
    private static let placesMax = 1728
    /// By which share of the distance neighbours differ between which there is a break: more than a sensor's noise.
    private static let breakMin: Float = 0.015
    /// A map stands when lying it has so many times the breaks; lines that are all alike have 4/3 of them.
    private static let breaksRatio = 1.5
    /// And besides more of them by this share of the places; fewer tear no plane.
    private static let breaksShare = 0.02

    private init?(width: Int, height: Int) {
        guard let lying = DepthDimensions(width: width, height: height),
            let standing = DepthDimensions(width: height, height: width)
        else { return nil }
        self.lying = lying
        self.standing = standing
    }

    /// The shape of maps with so many values; `nil` when no sensor that is known records so many.
    init?(count: Int) {
        guard let shape = Self.known.first(where: { $0.lying.values == count }) else { return nil }
        self = shape
    }

    /// Whether these are its dimensions, lying or standing.
    func matches(_ dimensions: DepthDimensions) -> Bool { dimensions == lying || dimensions == standing }

    /// How the map with these values lay: so that each line fits to the next.
    func dimensions(of values: [Float]) -> DepthDimensions {
        let (upright, level) = (breaks(in: values, width: standing.width), breaks(in: values, width: lying.width))
        let most = Self.breaksRatio * Double(upright) + Self.breaksShare * Double(Self.placesMax)
        return Double(level) > most ? standing : lying
    }

    /// At how many places the value below is another surface's, in lines of so many values.
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
    /// - Parameter dimensions: Of as many values.
    func read(in dimensions: DepthDimensions) -> DepthMap {
        precondition(dimensions.values == values.count)
        return DepthMap(dimensions: dimensions, encoding: encoding, values: values, summary: summary)
    }
}
