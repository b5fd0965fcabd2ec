import CaptureModel
import CaptureQueue

/// The queue as `stats` and `watch` print it as JSON.
struct OverviewDocument: Encodable {
    private struct Worker: Encodable {
        let name: String
        let version: String
        let startedAt: String
        let silence: Double
        let isAlive: Bool
        let leasedLanes: Int

        enum CodingKeys: String, CodingKey {
            case name, version
            case startedAt = "started_at"
            case silence = "silent_seconds"
            case isAlive = "alive"
            case leasedLanes = "leased_lanes"
        }
    }

    private struct Span: Encodable {
        let seconds: Double
        let accepted: Int
        let verified: Int
        let rejected: Int
        let failed: Int
        let settledPerSecond: Double
        let reasons: [String: Int]
        let medianMilliseconds: Double?
        let p95Milliseconds: Double?

        enum CodingKeys: String, CodingKey {
            case seconds, accepted, verified, rejected, failed, reasons
            case settledPerSecond = "settled_per_second"
            case medianMilliseconds = "median_ms"
            case p95Milliseconds = "p95_ms"
        }

        init(_ tally: Tally) {
            seconds = tally.duration / .seconds(1)
            (accepted, verified, rejected, failed) = (tally.accepted, tally.verified, tally.rejected, tally.failed)
            settledPerSecond = tally.settledPerSecond
            reasons = Dictionary(uniqueKeysWithValues: tally.reasons.map { ($0.key.rawValue, $0.value) })
            medianMilliseconds = tally.latencies.quantile(0.5).map { ($0 / .milliseconds(1)).rounded() }
            p95Milliseconds = tally.latencies.quantile(0.95).map { ($0 / .milliseconds(1)).rounded() }
        }
    }

    private let overview: QueueOverview

    init(_ overview: QueueOverview) {
        self.overview = overview
    }

    private enum CodingKeys: String, CodingKey {
        case captures, bytes, paused, workers
        case capturesMax = "captures_max"
        case bytesMax = "bytes_max"
        case deadLetters = "dead_letters"
        case readyLanes = "ready_lanes"
        case delayedLanes = "delayed_lanes"
        case leasedLanes = "leased_lanes"
        case oldest = "oldest_lane_age_ms"
        case lastMinute = "last_minute"
        case lastHour = "last_hour"
        case lastDay = "last_day"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let load = overview.load
        try container.encode(load.captures, forKey: .captures)
        try container.encode(load.capturesMax, forKey: .capturesMax)
        try container.encode(load.bytes, forKey: .bytes)
        try container.encode(load.bytesMax, forKey: .bytesMax)
        try container.encode(load.deadLetters, forKey: .deadLetters)
        try container.encode(load.readyLanes, forKey: .readyLanes)
        try container.encode(load.delayedLanes, forKey: .delayedLanes)
        try container.encode(load.leasedLanes, forKey: .leasedLanes)
        try container.encode(load.isPaused, forKey: .paused)
        try container.encode(load.oldestLaneAge.map { ($0 / .milliseconds(1)).rounded() }, forKey: .oldest)
        try container.encode(Span(overview.lastMinute), forKey: .lastMinute)
        try container.encode(Span(overview.lastHour), forKey: .lastHour)
        try container.encode(Span(overview.lastDay), forKey: .lastDay)
        let workers = overview.workers.map {
            Worker(
                name: $0.name, version: $0.version, startedAt: $0.startedAt.rfc3339, silence: $0.silence / .seconds(1),
                isAlive: $0.isAlive, leasedLanes: $0.leasedLanes)
        }
        try container.encode(workers, forKey: .workers)
    }
}

extension Tally {
    /// How fast captures were settled in it.
    var settledPerSecond: Double {
        let seconds = duration / .seconds(1)
        return seconds > 0 ? (Double(settled) / seconds * 100).rounded() / 100 : 0
    }
}

extension WorkerStatus {
    /// Whether it has given a sign of life lately.
    var isAlive: Bool { silence <= Self.silenceMax }
}
