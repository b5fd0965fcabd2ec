import Synchronization

/// The numbers of one metric with one set of labels; safe to use from every thread.
final class MetricSeries: Sendable {
    /// What a histogram has counted.
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

    /// What a histogram has counted so far, as of one moment.
    var distribution: Distribution { observations.withLock { $0 } }

    /// Adds to a counter or gauge.
    func add(_ amount: Double) {
        number.withLock { $0 += amount }
    }

    /// Sets a gauge.
    func set(_ value: Double) {
        number.withLock { $0 = value }
    }

    /// Takes an observation into a histogram; what is not a number is left out, it would spoil the sum for good.
    func observe(_ value: Double) {
        guard value.isFinite else { return }
        observations.withLock { distribution in
            distribution.count += 1
            distribution.sum += value
            if let bucket = buckets.firstIndex(where: { value <= $0 }) { distribution.counts[bucket] += 1 }
        }
    }

    /// Starts a counter again, as swift-metrics asks for.
    func reset() {
        number.withLock { $0 = 0 }
    }
}
