import CaptureModel
import PrivateServers

/// The measurements of ``DrainBench``; the JSON has the derived numbers as well.
struct DrainReport: Encodable, Sendable {
    /// One run, with one number of workers.
    struct Run: Sendable {
        /// Results of other devices that the record had before.
        let results: Int
        let workers: Int
        let captures: Int
        let seconds: Double
        let usage: SystemUsage
        let latency: Percentiles

        var capturesPerSecond: Double { Double(captures) / seconds }

        /// Writing commands in Redis for each capture.
        var redisWrites: Double { Double(usage.redisWrites) / Double(captures) }

        /// Milliseconds of processor time for each capture.
        func milliseconds(_ part: KeyPath<SystemUsage, ProcessFigures>) -> Double {
            usage[keyPath: part].processorTime / .milliseconds(1) / Double(captures)
        }
    }

    let bundleBytes: Int
    let devices: Int
    let bare: BareCost
    /// The bare cost as the workers have it.
    let cryptography: BareCost
    let runs: [Run]

    /// A worker's cost of a capture, as a multiple of the capture's bare cryptography.
    func ratio(_ run: Run) -> Double { run.milliseconds(\.worker) / (bare.seconds * 1000) }

    /// The share of SHA-256 and ECDSA, as workers do them, in a worker's processor time.
    func cryptographyShare(_ run: Run) -> Double { cryptography.seconds * 1000 / run.milliseconds(\.worker) }

    /// The cost of a capture in Redis and PostgreSQL together, as a multiple of the capture's bare cryptography.
    func serversRatio(_ run: Run) -> Double {
        (run.milliseconds(\.redis) + run.milliseconds(\.postgres)) / (bare.seconds * 1000)
    }

    /// What of a run exceeds the limits, in words; `nil` if nothing does.
    func excess(of run: Run, workerMax: Double?, serversMax: Double?, memoryMax: Int?) -> String? {
        let costs = [("workers", ratio(run), workerMax), ("Redis and PostgreSQL", serversRatio(run), serversMax)]
        var excesses = costs.compactMap { part, ratio, most -> String? in
            guard let most, ratio > most else { return nil }
            return "\(part): \(Figure.text(ratio, 2)) times the bare cryptography, more than \(Figure.text(most, 2))"
        }
        let memory = run.usage.worker.peakMemoryBytes
        if let memoryMax, memory > memoryMax {
            excesses.append(
                "a worker's memory: \(TerminalText.bytes(memory)), more than \(TerminalText.bytes(memoryMax))")
        }
        return excesses.isEmpty
            ? nil : "with \(TerminalText.count(run.workers, "worker")): \(excesses.joined(separator: "; "))"
    }

    /// The captures of a second, as a share of the P-256 verifications that one core can do.
    func share(_ run: Run) -> Double { run.capturesPerSecond * bare.verificationSeconds }
}

extension DrainReport {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(ProcessorVersion.current, forKey: "version")
        try container.encode(devices, forKey: "devices")
        try container.encode(bundleBytes, forKey: "bundle_bytes")
        try container.encode(bare, forKey: "bare")
        try container.encode(cryptography, forKey: "worker_cryptography")
        var list = container.nestedUnkeyedContainer(forKey: "runs")
        for run in runs {
            var object = list.nestedContainer(keyedBy: MemberName.self)
            try object.encode(run.results, forKey: "results_before")
            try object.encode(run.workers, forKey: "workers")
            try object.encode(run.captures, forKey: "captures")
            try object.encode(Figure.rounded(run.seconds, 3), forKey: "seconds")
            try object.encode(Figure.rounded(run.capturesPerSecond, 1), forKey: "captures_per_second")
            try object.encode(Figure.rounded(share(run), 3), forKey: "share_of_one_cores_p256")
            try object.encode(Figure.rounded(run.milliseconds(\.worker), 4), forKey: "worker_cpu_ms_per_capture")
            try object.encode(Figure.rounded(run.milliseconds(\.redis), 4), forKey: "redis_cpu_ms_per_capture")
            try object.encode(Figure.rounded(run.milliseconds(\.postgres), 4), forKey: "postgres_cpu_ms_per_capture")
            try object.encode(Figure.rounded(ratio(run), 3), forKey: "worker_cpu_to_bare")
            try object.encode(Figure.rounded(cryptographyShare(run), 3), forKey: "worker_cpu_in_cryptography")
            try object.encode(Figure.rounded(serversRatio(run), 3), forKey: "servers_cpu_to_bare")
            try object.encode(Figure.rounded(run.redisWrites, 2), forKey: "redis_writes_per_capture")
            try object.encode(Figure.rounded(run.latency(0.5) * 1000, 1), forKey: "settled_after_p50_ms")
            try object.encode(Figure.rounded(run.latency(0.95) * 1000, 1), forKey: "settled_after_p95_ms")
            try object.encode(Figure.rounded(run.latency(0.99) * 1000, 1), forKey: "settled_after_p99_ms")
            try object.encode(run.usage.worker.peakMemoryBytes, forKey: "worker_peak_bytes")
            try object.encode(run.usage.redis.peakMemoryBytes, forKey: "redis_peak_bytes")
            try object.encode(run.usage.postgres.peakMemoryBytes, forKey: "postgres_peak_bytes")
        }
    }
}

extension DrainReport {
    /// Tables for people.
    var text: String { [heading, speeds.text, times.text].joined(separator: "\n\n") }

    private var heading: String {
        let captures = TerminalText.count(runs.first?.captures ?? 0, "capture")
        let alone = Self.microseconds(bare.verificationSeconds, bare.hashSeconds)
        let together = Self.microseconds(cryptography.verificationSeconds, cryptography.hashSeconds)
        return """
            \(captures) of \(TerminalText.bytes(bundleBytes)), \(TerminalText.count(devices, "device"))
            bare cryptography \(alone); as the workers do it \(together)
            """
    }

    private static func microseconds(_ verification: Double, _ hash: Double) -> String {
        let parts = [verification + hash, verification, hash].map { Figure.text($0 * 1e6, 1) }
        return "\(parts[0]) µs each (P-256 \(parts[1]), SHA-256 \(parts[2]))"
    }

    private var speeds: TextTable {
        var table = TextTable([
            ("results before", .trailing), ("workers", .trailing), ("captures/s", .trailing),
            ("of one core's P-256", .trailing),
            ("µs CPU: worker", .trailing), ("× bare", .trailing), ("cryptography", .trailing), ("Redis", .trailing),
            ("PostgreSQL", .trailing),
            ("Redis writes", .trailing),
        ])
        for run in runs {
            table.append([
                "\(run.results)", "\(run.workers)", Figure.text(run.capturesPerSecond, 0), Figure.text(share(run), 2),
                Figure.text(run.milliseconds(\.worker) * 1000, 1), Figure.text(ratio(run), 2),
                "\(Figure.text(cryptographyShare(run) * 100, 0)) %", Figure.text(run.milliseconds(\.redis) * 1000, 1),
                Figure.text(run.milliseconds(\.postgres) * 1000, 1),
                Figure.text(run.redisWrites, 1),
            ])
        }
        return table
    }

    private var times: TextTable {
        var table = TextTable([
            ("results before", .trailing), ("workers", .trailing), ("settled after p50", .trailing), ("p95", .trailing),
            ("p99", .trailing),
            ("peak memory: worker", .trailing), ("Redis", .trailing), ("PostgreSQL", .trailing),
        ])
        for run in runs {
            table.append(
                ["\(run.results)", "\(run.workers)"]
                    + [0.5, 0.95, 0.99].map { "\(Figure.text(run.latency($0) * 1000, 0)) ms" }
                    + [run.usage.worker, run.usage.redis, run.usage.postgres].map {
                        TerminalText.bytes($0.peakMemoryBytes)
                    })
        }
        return table
    }
}
