import CaptureModel
import CaptureQueue
import CaptureStore
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

/// What must be so once every capture has ended, whatever happened on the way.
struct Aftermath: Sendable {
    let stack: Stack
    /// What every accepted capture must end as.
    let verdicts: [CaptureID: Verdict]

    /// Waits until the queue is empty, then checks the record and the queue.
    /// - Parameters:
    ///   - orphans: Whether bytes may be left that no capture refers to: they have an expiry.
    ///   - buried: How many captures have been dead letters on the way.
    func check(orphans: Bool = false, buried: Int = 0, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await stack.withBackstage { queue, _, store in
            try await drain(queue)
            let results = try await store.results(of: Array(verdicts.keys))
            for (capture, verdict) in verdicts {
                let result = results[capture]
                #expect(
                    result?.verdict == verdict, "\(capture): \(String(describing: result?.reason))",
                    sourceLocation: sourceLocation)
            }
            try await checkCounters(Array(results.values), in: store, sourceLocation: sourceLocation)
            let counters = try await queue.counters()
            for level in ["queued", "bytes", "dead_bytes"] {
                #expect(counters[level] ?? 0 == 0, "\(level)", sourceLocation: sourceLocation)
            }
            #expect(counters["failed"] ?? 0 == buried, sourceLocation: sourceLocation)
        }
        #expect(
            try await stack.psql("SELECT count(*) FROM captures") == "\(verdicts.count)", "one row for each capture",
            sourceLocation: sourceLocation)
        #expect(
            try await stack.psql("SELECT count(*) FROM intake WHERE closed_at IS NULL") == "0",
            sourceLocation: sourceLocation)
        for partition in stack.keyspace.all {
            try await checkTokens(in: partition.ready, sourceLocation: sourceLocation)
        }
        try await checkKeys(orphans: orphans, sourceLocation: sourceLocation)
    }

    /// No lane is ready, and none is in anybody's hands.
    private func checkTokens(in ready: String, sourceLocation: SourceLocation) async throws {
        #expect(try await stack.redis.cli("XLEN", ready) == "0", "\(ready)", sourceLocation: sourceLocation)
        let pending = try await stack.redis.cliReply("XPENDING", ready, "workers")
        // A partition that no device has come to may have no stream.
        #expect(
            pending.hasPrefix("0") || pending.hasPrefix("NOGROUP"), "\(ready): \(pending)",
            sourceLocation: sourceLocation)
    }

    /// Each device has used every counter up to its highest once, and the highest is the record's.
    private func checkCounters(
        _ results: [ProvenanceResult], in store: some CaptureStore, sourceLocation: SourceLocation
    ) async throws {
        for (key, results) in Dictionary(grouping: results.filter { $0.verdict == .verified }, by: \.keyID) {
            let used = results.compactMap(\.counter).sorted()
            #expect(Set(used).count == used.count, sourceLocation: sourceLocation)
            let device = try #require(results.first?.device, sourceLocation: sourceLocation)
            let record = try await store.record(of: device)
            #expect(key != nil && record?.captureCounter == used.last, sourceLocation: sourceLocation)
        }
    }

    /// What may stay: the queue's own figures, and what has an expiry.
    private func checkKeys(orphans: Bool, sourceLocation: SourceLocation) async throws {
        let names = ["ready", "stats", "limits", "restored", "workers"]
        let lasting = Set(
            (0..<stack.keyspace.partitions).flatMap { partition in names.map { "{cq:\(partition)}:\($0)" } })
        for key in try await stack.redis.cli("KEYS", "*").split(separator: "\n").map(String.init) {
            if lasting.contains(key) { continue }
            // -2: its time has just run out.
            #expect(
                try await stack.redis.cli("TTL", key) != "-1", "\(key) would stay for ever",
                sourceLocation: sourceLocation)
            let isMedia = key.contains(":photo:") || key.contains(":depth:")
            #expect(!isMedia || orphans, "\(key) is left over", sourceLocation: sourceLocation)
        }
    }
}
