/// A quantile of latencies, as near as the steps of a ``LatencyHistogram`` tell.
package enum LatencyQuantile: Sendable, Equatable {
    /// About this time: the step is narrow.
    case near(Duration)
    /// Somewhere in a step that is too wide to name a time in it.
    case between(Duration, Duration)
    /// Beyond the last step's end.
    case over(Duration)

    /// As one figure, for machines and charts: the upper end of a wide step, or the last bound.
    package var duration: Duration {
        switch self {
        case .near(let time), .between(_, let time), .over(let time): time
        }
    }

    /// In words: `1 to 5 min`, `over 5 min`.
    /// - Parameter near: How a time that is known well is written.
    package func text(_ near: (Duration) -> String) -> String {
        switch self {
        case .near(let time): near(time)
        case .between(let low, let high): "\(Self.minutes(low)) to \(Self.minutes(high)) min"
        case .over(let low): "over \(Self.minutes(low)) min"
        }
    }

    private static func minutes(_ time: Duration) -> Int64 { time.components.seconds / 60 }
}
