import CaptureModel
import CaptureQueue
import HTML

/// What is around the drawing of a chart: its words, its scale, and its numbers as a table.
extension Chart {
    func figure(top: String, @MarkupBuilder _ drawing: () -> Markup) -> Markup {
        let (first, last) = (tallies.first?.start, tallies.last?.start)
        return Markup.figure("class" => "chart") {
            Markup.figcaption {
                Markup.strong { title }
                Markup.span("class" => "legend") {
                    for series in series {
                        Markup.span("class" => "key \(series.style)") { series.title }
                    }
                }
            }
            Markup.svg(
                "viewBox" => "0 0 \(Int(Self.width)) \(Int(Self.height))", "role" => "img",
                "aria-label" => "\(title); the table below has the numbers", "preserveAspectRatio" => "none"
            ) {
                Markup.line("class" => "grid", "x1" => 0, "x2" => Int(Self.width), "y1" => 8, "y2" => 8)
                drawing()
                // Drawn over the bars that stand on it, whose outlines would cut it.
                Markup.line(
                    "class" => "axis", "x1" => 0, "x2" => Int(Self.width), "y1" => Int(Self.base),
                    "y2" => Int(Self.base))
            }
            Markup.div("class" => "scale", "aria-hidden" => "true") {
                Markup.span { first.map { Self.clock($0) } ?? "" }
                Markup.span { "top: \(top)" }
                Markup.span { last.map { Self.clock($0) } ?? "" }
            }
            table
        }
    }

    private var table: Markup {
        Markup.details {
            Markup.summary {
                "Numbers"
                Markup.span("class" => "hidden") { " of \(title)" }
            }
            scrollable(title) {
                Markup.table {
                    Markup.caption { title }
                    Markup.thead {
                        Markup.tr {
                            Markup.th("scope" => "col") { "From" }
                            for series in series { Markup.th("scope" => "col", "class" => "number") { series.title } }
                        }
                    }
                    Markup.tbody {
                        for tally in tallies.reversed()
                        where series.contains(where: { ($0.value(tally)?.size ?? 0) > 0 }) {
                            Markup.tr {
                                Markup.td { Wording.moment(tally.start) }
                                for series in series {
                                    Markup.td("class" => "number") { series.value(tally)?.words ?? "–" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Month, day, hour and minute.
    static func clock(_ moment: Timestamp) -> String {
        let text = moment.rfc3339
        return "\(text.dropFirst(5).prefix(5)) \(text.dropFirst(11).prefix(5))"
    }
}
