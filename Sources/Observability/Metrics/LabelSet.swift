/// The labels of one series: unique valid names in order, with values of bounded length.
struct LabelSet: Hashable, Comparable, Sendable {
    /// The value of the series that takes everything beyond the limit.
    static let otherValue = "other"

    private let names: [String]
    private let values: [String]

    /// Takes any names and values and makes them valid.
    ///
    /// `le` belongs to histograms and is renamed; when two labels come to the same name, the first one counts.
    init(_ dimensions: [(String, String)], valueBytesMax: Int = .max) {
        // Most metrics have one label or none, and are looked for with each observation.
        guard dimensions.count > 1 else {
            names = dimensions.map { PrometheusText.labelName($0.0) }
            values = dimensions.map { Self.cut($0.1, valueBytesMax) }
            return
        }
        var labels: [String: String] = [:]
        for (name, value) in dimensions {
            let name = PrometheusText.labelName(name)
            if labels[name] == nil { labels[name] = Self.cut(value, valueBytesMax) }
        }
        let sorted = labels.sorted { $0.key < $1.key }
        names = sorted.map(\.key)
        values = sorted.map(\.value)
    }

    /// The same labels, each with the value ``otherValue``.
    var other: LabelSet { LabelSet(names.map { ($0, Self.otherValue) }) }

    /// `{a="1",b="2"}`, or nothing without labels.
    var text: String { Self.text(zip(names, values).map { PrometheusText.label($0, $1) }) }

    /// The text with one more label at the end.
    func text(and name: String, _ value: String) -> String {
        Self.text(zip(names, values).map { PrometheusText.label($0, $1) } + [PrometheusText.label(name, value)])
    }

    static func < (left: LabelSet, right: LabelSet) -> Bool {
        left.values.lexicographicallyPrecedes(right.values)
            || left.values == right.values && left.names.lexicographicallyPrecedes(right.names)
    }

    private static func text(_ labels: [String]) -> String {
        labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
    }

    /// Cuts between characters, so that the text stays valid.
    private static func cut(_ value: String, _ bytesMax: Int) -> String {
        guard value.utf8.count > bytesMax else { return value }
        var kept = ""
        var bytes = 0
        for scalar in value.unicodeScalars {
            bytes += scalar.utf8.count
            guard bytes <= bytesMax else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }
}
