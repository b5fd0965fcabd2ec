import CaptureModel

/// The measurements of ``LatencyBench``.
struct LatencyReport: Encodable, Sendable {
    let rate: Int
    let count: Int
    /// Captures sent before the measured ones, and not counted.
    let warmUp: Int
    let bundleBytes: Int
    let workers: Int
    /// Seconds to the end of the hand-off: bytes stored, ledger row committed, enqueued.
    let accepted: Percentiles
    /// Seconds from the end of the hand-off to the published result.
    let worked: Percentiles
    /// Seconds to the published result.
    let settled: Percentiles

    private enum Key: String, CodingKey {
        case version, rate, captures, workers
        case warmUp = "warm_up_captures"
        case bundleBytes = "bundle_bytes"
        case acceptedAfter = "accepted_after_ms"
        case acceptedToSettled = "accepted_to_settled_ms"
        case settledAfter = "settled_after_ms"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(ProcessorVersion.current, forKey: .version)
        try container.encode(rate, forKey: .rate)
        try container.encode(count, forKey: .captures)
        try container.encode(warmUp, forKey: .warmUp)
        try container.encode(workers, forKey: .workers)
        try container.encode(bundleBytes, forKey: .bundleBytes)
        try container.encode(accepted.milliseconds, forKey: .acceptedAfter)
        try container.encode(worked.milliseconds, forKey: .acceptedToSettled)
        try container.encode(settled.milliseconds, forKey: .settledAfter)
    }

    /// A table for people.
    var text: String {
        var table = TextTable([
            ("", .leading), ("p50", .trailing), ("p95", .trailing), ("p99", .trailing),
            ("p99.9", .trailing), ("most", .trailing),
        ])
        let rows = [("due to accepted", accepted), ("accepted to settled", worked), ("due to settled", settled)]
        for (name, times) in rows {
            table.append(
                [name] + Percentiles.reported.map { "\(Figure.text(times($0.share) * 1000, 2)) ms" })
        }
        return "\(rate) captures of \(TerminalText.bytes(bundleBytes)) a second, \(count) in all, "
            + "\(TerminalText.count(workers, "worker"))\n\n\(table.text)"
    }
}
