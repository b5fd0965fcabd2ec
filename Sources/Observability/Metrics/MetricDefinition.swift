/// What is known of a metric before anything is measured: the contract with dashboards and alerts.
public struct MetricDefinition: Sendable, Hashable {
    /// What a metric's numbers mean.
    public enum Kind: String, Sendable {
        /// Only goes up.
        case counter
        /// Goes up and down.
        case gauge
        /// Counts of observations by size.
        case histogram
    }

    /// The name in the exposition.
    public let name: String
    /// What its numbers mean.
    public let kind: Kind
    /// One sentence for people.
    public let help: String
    /// The names of its labels.
    public let labels: [String]
    /// The upper bounds of a histogram's buckets, ascending, without infinity; in the metric's own unit.
    public let buckets: [Double]

    /// Describes a metric.
    public init(_ name: String, _ kind: Kind, _ help: String, labels: [String] = [], buckets: [Double] = []) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.buckets = buckets
    }
}

/// The usual bucket bounds.
public enum MetricBuckets {
    /// Seconds from a tenth of a millisecond to ten seconds: verifications and stages.
    public static let seconds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// Bytes from 1 KiB to 16 MiB: bundles.
    public static let bytes: [Double] = [
        1_024, 16_384, 65_536, 262_144, 1_048_576, 2_097_152, 4_194_304, 8_388_608, 16_777_216,
    ]
}
