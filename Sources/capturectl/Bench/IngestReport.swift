import CaptureModel
import PrivateServers

/// The measurements of ``IngestBench``.
struct IngestReport: Encodable, Sendable {
    let bundleBytes: Int
    let connections: Int
    let uploads: Int
    let seconds: Double
    let times: Percentiles
    let gateway: ProcessFigures
    let bareStoresPerSecond: Double

    private var perSecond: Double { Double(uploads) / seconds }
    private var gatewayMilliseconds: Double { gateway.processorTime / .milliseconds(1) / Double(uploads) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(ProcessorVersion.current, forKey: "version")
        try container.encode(bundleBytes, forKey: "bundle_bytes")
        try container.encode(connections, forKey: "connections")
        try container.encode(uploads, forKey: "uploads")
        try container.encode(Figure.rounded(seconds, 3), forKey: "seconds")
        try container.encode(Figure.rounded(perSecond, 1), forKey: "uploads_per_second")
        try container.encode(Figure.rounded(perSecond * Double(bundleBytes) / 1e6, 1), forKey: "megabytes_per_second")
        try container.encode(times.milliseconds, forKey: "upload_ms")
        try container.encode(Figure.rounded(gatewayMilliseconds, 3), forKey: "gateway_cpu_ms_per_upload")
        try container.encode(gateway.peakMemoryBytes, forKey: "gateway_peak_bytes")
        try container.encode(bareStoresPerSecond, forKey: "redis_benchmark_sets_per_second")
        try container.encode(Figure.rounded(perSecond / bareStoresPerSecond, 3), forKey: "share_of_redis_benchmark")
    }

    /// A table for people.
    var text: String {
        var table = TextTable([
            ("uploads/s", .trailing), ("MB/s", .trailing), ("p50", .trailing), ("p99", .trailing),
            ("gateway CPU each", .trailing), ("peak memory", .trailing), ("redis-benchmark SET/s", .trailing),
            ("share", .trailing),
        ])
        table.append([
            Figure.text(perSecond, 0), Figure.text(perSecond * Double(bundleBytes) / 1e6, 1),
            "\(Figure.text(times(0.5) * 1000, 2)) ms", "\(Figure.text(times(0.99) * 1000, 2)) ms",
            "\(Figure.text(gatewayMilliseconds, 3)) ms", TerminalText.bytes(gateway.peakMemoryBytes),
            Figure.text(bareStoresPerSecond, 0), Figure.text(perSecond / bareStoresPerSecond, 2),
        ])
        return "\(TerminalText.count(uploads, "upload")) of \(TerminalText.bytes(bundleBytes)), "
            + "\(TerminalText.count(connections, "connection"))\n\n\(table.text)"
    }
}
