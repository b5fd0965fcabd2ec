package import CaptureQueue
package import RedisClient

/// Why a Redis that answers takes no writes, or soon will not.
///
/// This is read from Redis's own state (`INFO`, `CONFIG GET`); nothing is written to find out.
package enum WriteRefusal: Sendable, Equatable {
    /// It follows another server (`READONLY`): its host and port.
    case replica(of: String)
    /// Next to nothing of `maxmemory` is left, and nothing is evicted (`OOM`); in bytes.
    case full(taken: Int, of: Int)
    /// The append-only file could not be written (`MISCONF`).
    case appendFailed
    /// The last snapshot failed, and writes are refused until one succeeds (`MISCONF`).
    case snapshotFailed
    /// Fewer replicas are in step than `min-replicas-to-write` asks for (`NOREPLICAS`).
    case replicasMissing(there: Int, needed: Int)

    /// 1/32 of `maxmemory` must be left: an upload needs room for its bytes, so it is refused before all is taken.
    private static let roomShare = 32
    private static let replicas = "min-replicas-to-write"
    private static let snapshots = "save"
    private static let snapshotsMatter = "stop-writes-on-bgsave-error"

    /// Reads all reasons why the server refuses writes.
    /// - Throws: ``QueueError``, ``QueueError/Code/refused`` if the server forbids reading them.
    package static func read(from client: RedisClient) async throws(QueueError) -> [WriteRefusal] {
        let info = try await client.info(["replication", "memory", "persistence"])
        let settings = try await DurabilityReport.settings([replicas, snapshots, snapshotsMatter], from: client)
        return all(info: info, settings: settings)
    }

    /// The reasons in the server's own data.
    /// - Parameters:
    ///   - info: The fields of `INFO`; a missing field is no reason.
    ///   - settings: As `CONFIG GET` returns them; settings that the server hides are missing.
    package static func all(info: [String: String], settings: [String: String]) -> [WriteRefusal] {
        // The other reasons do not apply to a replica.
        guard info["role"] != "slave" else {
            return [.replica(of: "\(info["master_host"] ?? "?"):\(info["master_port"] ?? "?")")]
        }
        var refusals: [WriteRefusal] = []
        if let full = fullness(info) { refusals.append(full) }
        if info["aof_enabled"] == "1", info["aof_last_write_status"] == "err" { refusals.append(.appendFailed) }
        if info["rdb_last_bgsave_status"] == "err", settings[snapshots] != "", settings[snapshotsMatter] != "no" {
            refusals.append(.snapshotFailed)
        }
        // The field is there only if `min-replicas-to-write` is set; it counts only replicas within the allowed lag.
        if let there = info["min_slaves_good_slaves"].flatMap({ Int($0) }),
            let needed = settings[replicas].flatMap({ Int($0) }), there < needed
        {
            refusals.append(.replicasMissing(there: there, needed: needed))
        }
        return refusals
    }

    private static func fullness(_ info: [String: String]) -> WriteRefusal? {
        guard info["maxmemory_policy"] == "noeviction", let memory = RedisMemory(info: info), memory.limit > 0 else {
            return nil
        }
        let room = memory.limit - memory.taken
        return room < memory.limit / roomShare ? .full(taken: memory.taken, of: memory.limit) : nil
    }
}
