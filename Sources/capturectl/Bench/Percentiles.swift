/// Times by rank.
struct Percentiles: Sendable {
    private let sorted: [Double]

    /// Takes times in seconds, in any order.
    init(_ seconds: [Double]) {
        sorted = seconds.sorted()
    }

    /// The time that a share of all times does not exceed, for example 0.99 of them; 0 if there are none.
    func callAsFunction(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let rank = Int((share * Double(sorted.count)).rounded(.up)) - 1
        return sorted[min(max(rank, 0), sorted.count - 1)]
    }
}

extension Percentiles {
    /// The ranks that reports show.
    static let reported: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("max", 1),
    ]

    /// The times at those ranks in milliseconds, by name.
    var milliseconds: [String: Double] {
        Dictionary(uniqueKeysWithValues: Self.reported.map { ($0.name, Figure.rounded(self($0.share) * 1000, 3)) })
    }
}
