/// One metric with all its series.
struct MetricFamily: Sendable {
    let definition: MetricDefinition
    private var series: [LabelSet: MetricSeries] = [:]
    /// Takes the observations beyond the limit; does not count against it.
    private var overflow: (labels: LabelSet, series: MetricSeries)?

    init(_ definition: MetricDefinition) {
        self.definition = definition
    }

    /// A metric with one series that has a value.
    init(_ definition: MetricDefinition, value: Double) {
        self.definition = definition
        let only = MetricSeries(definition.kind, buckets: definition.buckets)
        only.set(value)
        series[LabelSet([])] = only
    }

    /// The series with these labels, made when it is new; the overflow series when there is no room.
    mutating func series(_ labels: LabelSet, seriesMax: Int) -> (series: MetricSeries, isOverflow: Bool) {
        if let known = series[labels] { return (known, false) }
        if series.count < seriesMax {
            let made = MetricSeries(definition.kind, buckets: definition.buckets)
            series[labels] = made
            return (made, false)
        }
        if let overflow { return (overflow.series, true) }
        let made = (labels: labels.other, series: MetricSeries(definition.kind, buckets: definition.buckets))
        overflow = made
        return (made.series, true)
    }

    mutating func remove(_ removed: MetricSeries) {
        series = series.filter { $0.value !== removed }
    }

    /// Writes the metric's lines: HELP, TYPE and the samples.
    func render(into text: inout String) {
        var lines = series.map { (labels: $0.key, series: $0.value) }
        if let overflow, series[overflow.labels] == nil { lines.append(overflow) }
        guard !lines.isEmpty else { return }
        if !definition.help.isEmpty {
            text += "# HELP \(definition.name) \(PrometheusText.escapedHelp(definition.help))\n"
        }
        text += "# TYPE \(definition.name) \(definition.kind.rawValue)\n"
        for line in lines.sorted(by: { $0.labels < $1.labels }) {
            switch definition.kind {
            case .counter, .gauge:
                text += "\(definition.name)\(line.labels.text) \(PrometheusText.number(line.series.value))\n"
            case .histogram: renderHistogram(line.labels, line.series.distribution, into: &text)
            }
        }
    }

    private func renderHistogram(
        _ labels: LabelSet, _ distribution: MetricSeries.Distribution, into text: inout String
    ) {
        var below = 0
        for (bound, count) in zip(definition.buckets, distribution.counts) {
            below += count
            text += "\(definition.name)_bucket\(labels.text(and: "le", PrometheusText.number(bound))) \(below)\n"
        }
        text += "\(definition.name)_bucket\(labels.text(and: "le", "+Inf")) \(distribution.count)\n"
        text += "\(definition.name)_sum\(labels.text) \(PrometheusText.number(distribution.sum))\n"
        text += "\(definition.name)_count\(labels.text) \(distribution.count)\n"
    }
}
