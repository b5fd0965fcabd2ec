import Synchronization

/// The numbers of one metric with one set of labels; safe to use from every thread.
final class MetricSeries: Sendable {
    /// The counts of a histogram.
    struct Distribution: Sendable {
        /// Observations per bucket, not cumulative; beyond the last bound they are only in `count`.
        var counts: [Int]
        /// All observations.
        var count = 0
        /// Their sum.
        var sum = 0.0
    }

    private let buckets: [Double]
    private let number = Mutex(0.0)
    private let observations: Mutex<Distribution>

    init(_ kind: MetricDefinition.Kind, buckets: [Double]) {
        self.buckets = kind == .histogram ? buckets : []
        self.observations = Mutex(Distribution(counts: [Int](repeating: 0, count: self.buckets.count)))
    }

    /// The number of a counter or gauge.
    var value: Double { number.withLock { $0 } }

    /// The counts of a histogram so far, as of one moment.
    var distribution: Distribution { observations.withLock { $0 } }

    /// Adds to a counter or gauge.
    func add(_ amount: Double) {
        number.withLock { $0 += amount }
    }

    /// Sets a gauge.
    func set(_ value: Double) {
        number.withLock { $0 = value }
    }

    /// Adds an observation to a histogram; one that is not finite would spoil the sum for good and is left out.
    func observe(_ value: Double) {
        guard value.isFinite else { return }
        observations.withLock { distribution in
            distribution.count += 1
            distribution.sum += value
            if let bucket = buckets.firstIndex(where: { value <= $0 }) { distribution.counts[bucket] += 1 }
        }
    }

    /// Resets a counter, as swift-metrics requires.
    func reset() {
        number.withLock { $0 = 0 }
    }
}
