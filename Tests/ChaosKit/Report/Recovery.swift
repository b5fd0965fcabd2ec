import CaptureModel

/// How long it took until captures were settled again after the faults of one kind.
package struct Recovery: Sendable, Encodable {
    /// The kind of fault.
    package let fault: String
    /// How often it happened.
    package let times: Int
    /// The longest that it lasted, in seconds.
    package let lastedMax: Double
    /// From its end to the next settled capture, in seconds: half of the times it was less.
    package let nextMedian: Double
    /// The longest of these.
    package let nextMax: Double
    /// From its beginning until everything was settled that had been accepted before: the longest, in seconds.
    package let backlogMax: Double

    /// Works recovery times out from what was promised and when it was kept.
    ///
    /// Faults overlap, so a time may owe to another fault that began before this one was over.
    package static func times(of faults: [FaultRecord], entries: [Journal.Entry], rows: [RecordRow]) -> [Recovery] {
        let settled = rows.map(\.settledAt).sorted()
        let promises = promises(entries, rows)
        return Dictionary(grouping: faults, by: \.fault.kind).map { kind, records in
            let next = records.compactMap { record in
                settled.first { $0 >= record.ended }.map { $0.since(record.ended) / .seconds(1) }
            }.sorted()
            let backlog = records.map { record in
                let last = promises.filter { $0.accepted <= record.began }.map(\.settled).max() ?? record.began
                return max(0, last.since(record.began) / .seconds(1))
            }
            return Recovery(
                fault: kind, times: records.count,
                lastedMax: records.map { $0.ended.since($0.began) / .seconds(1) }.max() ?? 0,
                nextMedian: next.isEmpty ? 0 : next[next.count / 2], nextMax: next.last ?? 0,
                backlogMax: backlog.max() ?? 0
            )
        }.sorted { $0.fault < $1.fault }
    }

    /// How long captures took from their 202 to their result, in seconds: the median, the 99th
    /// of a hundred, the longest.
    package static func latencies(entries: [Journal.Entry], rows: [RecordRow]) -> [Double] {
        let times = promises(entries, rows).map { max(0, $0.settled.since($0.accepted) / .seconds(1)) }.sorted()
        return times.isEmpty ? [] : [times[times.count / 2], times[times.count * 99 / 100], times[times.count - 1]]
    }

    private static func promises(
        _ entries: [Journal.Entry], _ rows: [RecordRow]
    ) -> [(accepted: Timestamp, settled: Timestamp)] {
        let settledAt = Dictionary(rows.map { ($0.capture, $0.settledAt) }) { first, _ in first }
        return entries.compactMap { entry in
            guard let first = entry.accepted.first, let at = settledAt[first.capture] else { return nil }
            return (first.at, at)
        }
    }
}
