import CaptureModel

/// The kind of a key of the queue, read from its name.
enum KeyKind: Hashable {
    case lane(DeviceID)
    case job(CaptureID)
    case settled(CaptureID)
    /// A photo or a depth map.
    case bytes(CaptureID)
    case accepted(SHA256Digest)
    /// The counts of a minute or an hour.
    case tally

    /// The type of such a key, as `TYPE` names it.
    var type: String {
        switch self {
        case .lane: "list"
        case .job, .tally: "hash"
        case .settled, .bytes, .accepted: "string"
        }
    }
}

/// A key that was found, with what its name tells.
struct LocatedKey {
    let name: String
    let partition: Int
    let kind: KeyKind
}

extension Keyspace {
    /// Matches the keys of all partitions; names of queues have no pattern characters.
    var pattern: String { "{\(queue):*}:*" }

    /// The partition and kind of a key; `nil` for keys that each partition has only one of, and for foreign keys.
    func locate(_ key: String) -> LocatedKey? {
        guard let (partition, rest) = divided(key), partition < partitions else { return nil }
        let parts = rest.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let kind: KeyKind? =
            switch parts[0] {
            case "lane": DeviceID(parts[1]).map { .lane($0) }
            case "job": CaptureID(parts[1]).map { .job($0) }
            case "settled": CaptureID(parts[1]).map { .settled($0) }
            case "photo", "depth": CaptureID(parts[1]).map { .bytes($0) }
            case "accepted": SHA256Digest(hex: String(parts[1])).map { .accepted($0) }
            case "tally": .tally
            default: nil
            }
        return kind.map { LocatedKey(name: key, partition: partition, kind: $0) }
    }

    /// The partition of a key that a capture waits or is kept by, where the queue does not have that partition.
    ///
    /// What else a partition leaves behind when there are fewer expires, or does no harm.
    func partitionBeyond(_ key: String) -> Int? {
        guard let (partition, rest) = divided(key), partition >= partitions else { return nil }
        switch rest.prefix(while: { $0 != ":" }) {
        case "heads", "delayed", "dead", "lane_bytes", "lane", "job", "photo", "depth": return partition
        default: return nil
        }
    }

    /// The number of a key's partition, and what follows the hash tag and its colon; `nil` for foreign keys.
    private func divided(_ key: String) -> (partition: Int, rest: Substring)? {
        guard key.hasPrefix("{\(queue):"), let end = key.firstIndex(of: "}") else { return nil }
        let number = key[key.startIndex..<end].dropFirst(queue.utf8.count + 2)
        guard let partition = Int(number), (0..<Self.partitionsRange.upperBound).contains(partition) else { return nil }
        return (partition, key[key.index(after: end)...].drop { $0 == ":" })
    }
}

extension PartitionKeys {
    /// The keys that a partition has only one of and that programs read, each with its type, as `TYPE` names it.
    var types: [(key: String, type: String)] {
        [
            (ready, "stream"), (delayed, "zset"), (heads, "zset"), (laneBytes, "hash"), (dead, "zset"),
            (stats, "hash"), (limits, "hash"), (workers, "hash"), (restored, "string"),
        ]
    }

    /// The keys that a partition has only one of, and that never expire.
    ///
    /// A pause is none of them: whoever limits one by hand means it.
    var kept: [String] { types.map(\.key) }
}
