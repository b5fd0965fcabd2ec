/// Times by rank.
struct Percentiles: Sendable {
    private let sorted: [Double]

    /// Takes times in seconds, in any order.
    init(_ seconds: [Double]) {
        sorted = seconds.sorted()
    }

    /// The time that a share of all do not exceed, for example 0.99 of them; 0 when there are none.
    func callAsFunction(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let rank = Int((share * Double(sorted.count)).rounded(.up)) - 1
        return sorted[min(max(rank, 0), sorted.count - 1)]
    }
}
