import CaptureModel

/// The description of a metric before any measurement: the contract with dashboards and alerts.
package struct MetricDefinition: Sendable, Hashable {
    /// The meaning of a metric's numbers.
    enum Kind: String, Sendable {
        /// Only goes up.
        case counter
        /// Goes up and down.
        case gauge
        /// Counts of observations by size.
        case histogram
    }

    /// The name in the exposition.
    package let name: String
    /// The meaning of its numbers.
    let kind: Kind
    /// One sentence for people.
    let help: String
    /// Its labels.
    let labels: [MetricLabel]
    /// The upper bounds of a histogram's buckets, ascending, without infinity; in the metric's own unit.
    let buckets: [Double]
    /// The programs that show it.
    let programs: Set<ProgramName>
    /// The label values of every possible series, in the order of the labels; empty when they are not listed.
    let series: [[String]]
    /// Whether all its series are shown as 0 from the start; always so for counters and histograms.
    let startsAtZero: Bool

    /// Describes a metric.
    /// - Parameters:
    ///   - programs: The programs that show it.
    ///   - series: The combinations of label values; by default all combinations.
    ///   - startsAtZero: `true` for a gauge whose 0 is true until a value is noted.
    init(
        _ name: String, _ kind: Kind, _ help: String, labels: [MetricLabel] = [], buckets: [Double] = [],
        programs: Set<ProgramName> = Set(ProgramName.servers), series: [[String]]? = nil, startsAtZero: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.buckets = buckets
        self.programs = programs
        self.series = series ?? Self.product(of: labels)
        self.startsAtZero = kind != .gauge || startsAtZero
    }

    /// Every combination of the labels' values.
    private static func product(of labels: [MetricLabel]) -> [[String]] {
        labels.reduce([[]]) { series, label in
            series.flatMap { values in label.values.map { values + [$0] } }
        }
    }
}

/// A label of a metric and its values.
struct MetricLabel: Sendable, Hashable {
    /// Its name in the exposition.
    let name: String
    /// Every possible value; empty where ``meaning`` says what bounds them instead.
    let values: [String]
    /// The meaning of its values in words.
    let meaning: String

    /// A label whose values are listed.
    init(_ name: String, _ values: [String], _ meaning: String = "") {
        self.name = name
        self.values = values
        self.meaning = meaning
    }

    /// A label whose values are the words of one of our enumerations.
    init<Word: CaseIterable & RawRepresentable<String>>(_ name: String, _ words: Word.Type) {
        self.init(name, words.allCases.map(\.rawValue))
    }
}

/// The usual bucket bounds.
enum MetricBuckets {
    /// Seconds from a tenth of a millisecond to ten seconds: verifications and stages.
    static let seconds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// Bytes from 1 KiB to 16 MiB: bundles.
    static let bytes: [Double] = [
        1_024, 16_384, 65_536, 262_144, 1_048_576, 2_097_152, 4_194_304, 8_388_608, 16_777_216,
    ]
}
