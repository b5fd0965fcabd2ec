/// The outline of connected samples of a plane: its first and last sample in each line and column of the map.
struct PlanePart {
    /// The first and the last sample in a line or column.
    struct Extent {
        fileprivate(set) var first = Int.max
        fileprivate(set) var last = Int.min

        /// Whether it has no sample in the line or column.
        var isEmpty: Bool { first > last }

        fileprivate mutating func take(_ place: Int) {
            first = min(first, place)
            last = max(last, place)
        }
    }

    /// How many samples the part has.
    let count: Int
    /// For each line, its columns.
    private(set) var rows: [Extent]
    /// For each column, its lines.
    private(set) var columns: [Extent]

    /// Makes an empty outline for `count` samples, in a map with these numbers of columns and lines.
    init(columns: Int, rows: Int, count: Int) {
        self.count = count
        self.rows = Array(repeating: Extent(), count: rows)
        self.columns = Array(repeating: Extent(), count: columns)
    }

    /// Adds a sample.
    mutating func take(column: Int, row: Int) {
        rows[row].take(column)
        columns[column].take(row)
    }

    /// The relative difference between its area and that of the quadrilateral of its corners.
    ///
    /// 0 for a rectangle seen from anywhere, 0.57 for a disc, and infinite for a line. Holes do not count.
    var shapeError: Float {
        let ends = ends
        let middle = ends.reduce(SIMD2<Float>(), +) / Float(max(1, ends.count))
        func farthest(_ distance: (SIMD2<Float>) -> Float) -> SIMD2<Float> {
            ends.max { distance($0) < distance($1) } ?? middle
        }
        // The point farthest from the middle is a corner; the point farthest from that corner is the opposite one.
        let one = farthest { ($0 - middle).squaredLength }
        let other = farthest { ($0 - one).squaredLength }
        // The other two corners are farthest from the line between these, one on each side.
        func side(_ point: SIMD2<Float>) -> Float {
            (other.x - one.x) * (point.y - one.y) - (other.y - one.y) * (point.x - one.x)
        }
        let quadrilateral = (side(farthest(side)) - side(farthest { -side($0) })) / 2
        return quadrilateral > 0 ? abs(area / quadrilateral - 1) : .infinity
    }

    /// The ends of its lines, as column and line: all of its corners are among them.
    private var ends: [SIMD2<Float>] {
        rows.enumerated().filter { !$0.element.isEmpty }.flatMap { row, extent in
            [SIMD2(Float(extent.first), Float(row)), SIMD2(Float(extent.last), Float(row))]
        }
    }

    /// The area of the polygon through the ends of its lines.
    private var area: Float {
        zip(rows, rows.dropFirst()).reduce(0) { area, lines in
            guard !lines.0.isEmpty, !lines.1.isEmpty else { return area }
            return area + Float(lines.0.last - lines.0.first + lines.1.last - lines.1.first) / 2
        }
    }
}

extension SIMD2<Float> {
    fileprivate var squaredLength: Float { x * x + y * y }
}
