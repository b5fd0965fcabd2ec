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

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(ProcessorVersion.current, forKey: "version")
        try container.encode(rate, forKey: "rate")
        try container.encode(count, forKey: "captures")
        try container.encode(warmUp, forKey: "warm_up_captures")
        try container.encode(workers, forKey: "workers")
        try container.encode(bundleBytes, forKey: "bundle_bytes")
        try container.encode(accepted.milliseconds, forKey: "accepted_after_ms")
        try container.encode(worked.milliseconds, forKey: "accepted_to_settled_ms")
        try container.encode(settled.milliseconds, forKey: "settled_after_ms")
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
