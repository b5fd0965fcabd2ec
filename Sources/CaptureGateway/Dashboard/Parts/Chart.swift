import CaptureQueue
import HTML

/// Charts of tallies as SVG: without a script, and with the same numbers as a table for those who see no picture.
struct Chart: Sendable {
    /// One kind of number, with a value for each time span.
    struct Series: Sendable {
        let title: String
        /// How it is coloured, see the style sheet.
        let style: String
        let value: @Sendable (Tally) -> Value?
    }

    /// How high something is drawn, and how it is said.
    struct Value: Sendable {
        let size: Double
        let words: String
        /// Whether it is more than what is drawn.
        var isMore = false

        /// A number of captures.
        static func count(_ count: Int) -> Value { Value(size: Double(count), words: Wording.number(count)) }

        /// A time, drawn up to the end of its step where nothing nearer is known.
        static func time(_ time: LatencyQuantile) -> Value {
            var value = Value(size: time.duration / .milliseconds(1), words: time.text(Wording.duration))
            if case .over = time { value.isMore = true }
            return value
        }
    }

    static let (width, height, base): (Double, Double, Double) = (720, 150, 128)

    let title: String
    let tallies: [Tally]
    let series: [Series]

    /// Bars that stand on each other, one stack for each span.
    var bars: Markup {
        let stacks: [Double] = tallies.map { tally in series.reduce(0) { $0 + ($1.value(tally)?.size ?? 0) } }
        let highest = max(1, stacks.max() ?? 1)
        let step = Self.width / Double(max(1, tallies.count))
        return figure(top: Wording.number(Int(highest))) {
            for (index, tally) in tallies.enumerated() {
                stack(tally, at: Double(index) * step, width: max(1, step - max(1, step * 0.2)), highest)
            }
        }
    }

    private func stack(_ tally: Tally, at x: Double, width: Double, _ highest: Double) -> Markup {
        var top = Self.base
        return Markup.g {
            Markup.element("title", []) { describe(tally) }
            for series in series {
                let size = (series.value(tally)?.size ?? 0) / highest * (Self.base - 8)
                let y = { () -> Double in
                    top -= size
                    return top
                }()
                if size > 0 {
                    Markup.rect(
                        "class" => series.style, "x" => Self.text(x), "y" => Self.text(y), "width" => Self.text(width),
                        "height" => Self.text(size))
                }
            }
        }
    }

    /// One line for each series, broken where a span has no value: nothing was measured there.
    ///
    /// A later series lies over an earlier one, which is still to be seen where both are the same.
    var lines: Markup {
        let top = tallies.flatMap { tally in series.compactMap { $0.value(tally) } }
            .max { ($0.size, $0.isMore ? 1 : 0) < ($1.size, $1.isMore ? 1 : 0) }
        let highest = max(1, top?.size ?? 1)
        return figure(top: top?.words ?? "–") {
            for (number, series) in series.enumerated() {
                let places = points(of: series, highest)
                for line in places.split(whereSeparator: { $0 == nil }) where line.count > 1 {
                    let corners = line.compactMap { $0 }.map { "\(Self.text($0.x)),\(Self.text($0.y))" }
                    Markup.polyline("class" => series.style, "points" => corners.joined(separator: " "))
                }
                for point in places.compactMap({ $0 }) {
                    dot(series, at: point, size: number == 0 ? 9 : 4)
                }
            }
        }
    }

    /// Where the values of a series are drawn, span by span.
    private func points(of series: Series, _ highest: Double) -> [(x: Double, y: Double)?] {
        let step = Self.width / Double(max(1, tallies.count))
        return tallies.enumerated().map { index, tally in
            guard let value = series.value(tally) else { return nil }
            let share = Self.logarithm(value.size) / Self.logarithm(highest)
            return (x: (Double(index) + 0.5) * step, y: Self.base - share * (Self.base - 8))
        }
    }

    /// Nearly the binary logarithm of one more, straight between the powers of two: beside one slow minute a linear scale
    /// would have all others lie at the bottom.
    private static func logarithm(_ size: Double) -> Double {
        let more = max(0, size) + 1
        return Double(more.exponent) + more.significand - 1
    }

    private func dot(_ series: Series, at point: (x: Double, y: Double), size: Double) -> Markup {
        Markup.rect(
            "class" => "dot \(series.style)", "x" => Self.text(point.x - size / 2),
            "y" => Self.text(point.y - size / 2), "width" => Self.text(size), "height" => Self.text(size))
    }

    private func describe(_ tally: Tally) -> String {
        let values = series.map { "\($0.title) \($0.value(tally)?.words ?? "–")" }
        return "\(Self.clock(tally.start)): \(values.joined(separator: ", "))"
    }

    /// A coordinate to a tenth.
    private static func text(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}

extension Chart {
    /// What became of the captures of each span.
    static func outcomes(_ title: String, _ tallies: [Tally]) -> Chart {
        Chart(
            title: title, tallies: tallies,
            series: [
                Series(title: "verified", style: "verified") { .count($0.verified) },
                Series(title: "rejected", style: "rejected") { .count($0.rejected) },
                Series(title: "failed", style: "failed") { .count($0.failed) },
            ])
    }

    /// How long captures took from acceptance to result.
    static func latencies(_ title: String, _ tallies: [Tally]) -> Chart {
        Chart(
            title: title, tallies: tallies,
            series: [
                Series(title: "median", style: "median") { $0.latencies.quantile(0.5).map { .time($0) } },
                Series(title: "95 %", style: "slow") { $0.latencies.quantile(0.95).map { .time($0) } },
            ])
    }
}
