import CaptureModel
package import CaptureQueue

/// The queue as JSON, over HTTP and by `capturectl`; times in milliseconds.
package struct QueueDocument: Encodable, Sendable {
    private let load: QueueLoad
    private let overview: QueueOverview?

    /// Takes the queue's load.
    package init(_ load: QueueLoad) {
        self.load = load
        overview = nil
    }

    /// Takes the queue's load, its rates and its workers.
    package init(_ overview: QueueOverview) {
        load = overview.load
        self.overview = overview
    }

    /// Writes it.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(load.captures, forKey: "captures")
        try container.encode(load.bytes, forKey: "bytes")
        try container.encode(load.capturesMax, forKey: "captures_max")
        try container.encode(load.bytesMax, forKey: "bytes_max")
        try container.encode(load.fill, forKey: "fill")
        try container.encode(load.deadLetters, forKey: "dead_letters")
        try container.encode(load.readyLanes, forKey: "ready_lanes")
        try container.encode(load.delayedLanes, forKey: "delayed_lanes")
        try container.encode(load.leasedLanes, forKey: "leased_lanes")
        try container.encode(load.isPaused, forKey: "paused")
        try container.encodeIfPresent(load.oldestLaneAge.map(Self.milliseconds), forKey: "oldest_lane_age_ms")
        guard let overview else { return }
        try container.encode(overview.workers.map { WorkerDocument(worker: $0) }, forKey: "workers")
        try container.encode(TallyDocument(tally: overview.lastMinute), forKey: "last_minute")
        try container.encode(TallyDocument(tally: overview.lastHour), forKey: "last_hour")
        try container.encode(TallyDocument(tally: overview.lastDay), forKey: "last_day")
        try container.encodeIfPresent(overview.countedSince, forKey: "counted_since")
    }

    private static func milliseconds(_ duration: Duration) -> Double { (duration / .milliseconds(1)).rounded() }

    private struct WorkerDocument: Encodable {
        let worker: WorkerStatus

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: MemberName.self)
            try container.encode(worker.name, forKey: "name")
            try container.encode(worker.version, forKey: "version")
            try container.encode(worker.startedAt, forKey: "started_at")
            try container.encode(worker.isAlive, forKey: "alive")
            try container.encode(milliseconds(worker.silence), forKey: "silence_ms")
            try container.encode(worker.leasedLanes, forKey: "leased_lanes")
        }
    }

    /// The figures of a span; rates are over the time that the tally covers, somewhat more than its name says.
    private struct TallyDocument: Encodable {
        let tally: Tally

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: MemberName.self)
            try container.encode(milliseconds(tally.duration), forKey: "duration_ms")
            try container.encode(tally.accepted, forKey: "accepted")
            try container.encode(tally.verified, forKey: "verified")
            try container.encode(tally.rejected, forKey: "rejected")
            try container.encode(tally.failed, forKey: "failed")
            let reasons = tally.reasons.map { ($0.key.rawValue, $0.value) }
            try container.encode(Dictionary(uniqueKeysWithValues: reasons), forKey: "reasons")
            try container.encode(tally.perSecond(tally.accepted), forKey: "accepted_per_second")
            try container.encode(tally.perSecond(tally.settled), forKey: "settled_per_second")
            let (median, slow) = (tally.latencies.quantile(0.5), tally.latencies.quantile(0.95))
            try container.encode(median.map { milliseconds($0.duration) }, forKey: "latency_p50_ms")
            try container.encode(slow.map { milliseconds($0.duration) }, forKey: "latency_p95_ms")
        }
    }
}

extension Tally {
    /// A count of this tally per second, unrounded: a few captures a day must not round to none.
    package func perSecond(_ count: Int) -> Double {
        duration > .zero ? Double(count) / (duration / .seconds(1)) : 0
    }
}
