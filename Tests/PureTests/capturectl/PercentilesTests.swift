import Testing

@testable import capturectl

@Suite("The percentiles of the benchmarks")
struct PercentilesTests {
    private static let shares = [0, 0.001, 0.5, 0.95, 0.99, 0.999, 1]
    private static let known: [(Double, Double)] = [
        (0, 15), (0.05, 15), (0.2, 15), (0.21, 20), (0.3, 20), (0.4, 20), (0.5, 35), (0.8, 40), (0.81, 50), (1, 50),
    ]

    @Test(arguments: shares)
    func `the percentiles of the benchmarks are nothing of nothing, and of one time that time`(share: Double) {
        #expect(Percentiles([])(share) == 0)
        #expect(Percentiles([0.25])(share) == 0.25)
    }

    /// The nearest rank: the least of the times that so large a share of all do not exceed, never one between two.
    @Test(arguments: known)
    func `the percentiles of the benchmarks are times of the list, whose order does not matter`(
        share: Double, time: Double
    ) {
        #expect(Percentiles([40, 15, 50, 20, 35])(share) == time)
    }

    @Test func `the percentiles of the benchmarks are none beyond the last, nor before the first`() {
        let times = Percentiles([1, 2, 3])
        #expect(times(1.5) == 3 && times(-1) == 1)
    }

    @Test func `times that are equal count each for itself`() {
        let times = Percentiles([2, 1, 1, 1])
        #expect(times(0.75) == 1 && times(0.76) == 2)
    }

    /// By whole numbers: what is lost in a fraction must not move a rank.
    @Test func `the percentiles that reports show are those of whole numbers, however many times there are`() {
        let ranks = zip(Percentiles.reported, [500, 950, 990, 999, 1000])
        for count in Array(1...200) + [999, 1000, 1001, 10_000] {
            let times = Percentiles((1...count).reversed().map { Double($0) })
            for (reported, thousandths) in ranks {
                let rank = (count * thousandths + 999) / 1000
                #expect(times(reported.share) == Double(rank), "\(reported.name) of \(count)")
            }
        }
    }

    @Test func `the percentiles of the benchmarks are reported in milliseconds by their names`() {
        let times = Percentiles((1...1000).map { Double($0) / 1000 })
        #expect(times.milliseconds == ["p50": 500, "p95": 950, "p99": 990, "p99.9": 999, "max": 1000])
    }
}
