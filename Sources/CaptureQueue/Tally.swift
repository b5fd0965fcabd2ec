package import CaptureModel

/// What came into the queue and what became of it within a span of time, counted as it happened.
///
/// The queue keeps these numbers itself, for operators: if the queue loses its data, it loses them too. The record is
/// not affected.
package struct Tally: Sendable, Equatable {
    /// How long the spans are that the queue counts by.
    package enum Span: Sendable, CaseIterable {
        /// Kept for two hours.
        case minute
        /// Kept for 32 days.
        case hour

        /// Its length.
        package var duration: Duration {
            switch self {
            case .minute: .seconds(60)
            case .hour: .seconds(3600)
            }
        }

        /// How many of the latest ones are kept, the running one included.
        package var countMax: Int {
            switch self {
            case .minute: 120
            case .hour: 768
            }
        }
    }

    /// When the span began.
    package let start: Timestamp
    /// How long it is: less than a whole span when it is still running.
    package let duration: Duration
    /// Captures accepted, or put back from the ledger.
    package var accepted = 0
    /// Captures settled as verified.
    package var verified = 0
    /// Captures settled as rejected.
    package var rejected = 0
    /// How often captures were given up as dead letters: one that is put back, and given up again, is counted again.
    package var failed = 0
    /// Why they were rejected or given up.
    package var reasons: [Reason: Int] = [:]
    /// How long settled captures took from their acceptance.
    package var latencies = LatencyHistogram()

    /// Starts with nothing counted.
    package init(start: Timestamp, duration: Duration) {
        self.start = start
        self.duration = duration
    }

    /// Captures settled, one way or the other.
    package var settled: Int { verified + rejected }

    /// Adds the counts of another span; start and duration stay as they are.
    package mutating func add(_ other: Tally) {
        accepted += other.accepted
        verified += other.verified
        rejected += other.rejected
        failed += other.failed
        reasons.merge(other.reasons, uniquingKeysWith: +)
        latencies.add(other.latencies)
    }

    /// One tally over spans that follow each other, oldest first; `nil` when there is none.
    package static func sum(_ tallies: [Tally]) -> Tally? {
        guard let first = tallies.first else { return nil }
        var sum = Tally(start: first.start, duration: tallies.reduce(.zero) { $0 + $1.duration })
        for tally in tallies { sum.add(tally) }
        return sum
    }
}

/// How many captures took how long, in fixed steps.
package struct LatencyHistogram: Sendable, Equatable {
    /// The steps' upper ends in milliseconds; beyond the last one is one more step.
    ///
    /// The functions in Redis have the same list.
    package static let bounds = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000]

    /// In milliseconds, from where on no time within a step is estimated.
    ///
    /// The step there is minutes wide: perhaps no capture took a time estimated within it.
    package static let estimatesEnd = 60_000

    /// How many fell into each step.
    package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)

    /// Starts empty.
    package init() {}

    /// Counts captures into a step by its number; other numbers are ignored.
    package mutating func add(_ captures: Int, step: Int) {
        if counts.indices.contains(step) { counts[step] += captures }
    }

    /// Adds the counts of another histogram.
    package mutating func add(_ other: LatencyHistogram) {
        for step in counts.indices { counts[step] += other.counts[step] }
    }

    /// The time within which a share of the captures was settled, as near as the steps tell; `nil` when there is none.
    /// - Parameter share: From 0 to 1: 0.5 is the median.
    package func quantile(_ share: Double) -> LatencyQuantile? {
        let total = counts.reduce(0, +)
        guard total > 0 else { return nil }
        let rank = share * Double(total)
        var below = 0
        for (step, count) in counts.enumerated() where count > 0 {
            guard Double(below + count) >= rank else {
                below += count
                continue
            }
            let low = step == 0 ? 0 : Self.bounds[step - 1]
            guard step < Self.bounds.count else { return .over(.milliseconds(low)) }
            let high = Self.bounds[step]
            guard low < Self.estimatesEnd else { return .between(.milliseconds(low), .milliseconds(high)) }
            // Evenly spread within the step.
            let within = (rank - Double(below)) / Double(count)
            return .near(.milliseconds(1) * (Double(low) + Double(high - low) * within))
        }
        return nil
    }
}
