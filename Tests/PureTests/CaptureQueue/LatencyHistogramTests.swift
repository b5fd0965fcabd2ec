import CaptureQueue
import Testing

@Suite("Quantiles of latencies")
struct LatencyHistogramTests {
    private func histogram(_ counts: [Int: Int]) -> LatencyHistogram {
        var histogram = LatencyHistogram()
        for (step, count) in counts { histogram.add(count, step: step) }
        return histogram
    }

    private func milliseconds(_ histogram: LatencyHistogram, _ share: Double) -> Double? {
        histogram.quantile(share).map { $0.duration / .milliseconds(1) }
    }

    @Test(arguments: [0, 0.5, 1]) func `quantiles of nothing are none`(share: Double) {
        #expect(LatencyHistogram().quantile(share) == nil)
        #expect(histogram([-1: 4, LatencyHistogram.bounds.count + 1: 4]).quantile(share) == nil, "steps that are none")
    }

    /// The first step ends at 10 ms, the third begins at 25 and ends at 50.
    @Test(
        arguments: [
            ([0: 4], 0.0, 0.0), ([0: 4], 0.5, 5.0), ([0: 4], 1.0, 10.0), ([2: 1], 0.5, 37.5), ([2: 10], 1.0, 50.0),
            ([0: 1, 2: 1], 0.5, 10.0), ([0: 1, 2: 1], 0.75, 37.5), ([0: 1, 2: 3], 1.0, 50.0),
            ([0: 95, 2: 5], 0.95, 10.0), ([0: 90, 2: 10], 0.95, 37.5),
        ] as [([Int: Int], Double, Double)])
    func `quantiles of latencies lie within their step as if it were evenly filled`(
        counts: [Int: Int], share: Double, expected: Double
    ) {
        let found = milliseconds(histogram(counts), share)
        #expect(found.map { abs($0 - expected) < 0.001 } == true, "\(String(describing: found))")
    }

    /// Twelve captures of 75 s are none of 180 s.
    @Test(arguments: [(11, "near"), (12, "1 to 5 min"), (13, "over 5 min")])
    func `quantiles of latencies tell a step of minutes as the step that it is`(step: Int, text: String) {
        let quantile = histogram([step: 12]).quantile(0.5)
        #expect(quantile?.text { _ in "near" } == text)
        if step > 11 { #expect(quantile?.duration == .seconds(300)) }
    }

    @Test func `quantiles of latencies beyond the last bound are the bound`() {
        let slow = histogram([LatencyHistogram.bounds.count: 3])
        for share in [0.01, 0.5, 1] {
            #expect(milliseconds(slow, share).map { abs($0 - 300_000) < 0.001 } == true)
        }
    }

    @Test func `quantiles of latencies never fall while the share rises, and count what was added from elsewhere`() {
        var all = LatencyHistogram()
        for step in 0...LatencyHistogram.bounds.count { all.add(histogram([step: step % 4])) }
        let found = stride(from: 0.0, through: 1, by: 0.01).compactMap { milliseconds(all, $0) }
        #expect(found.count >= 100 && found == found.sorted())
    }
}
