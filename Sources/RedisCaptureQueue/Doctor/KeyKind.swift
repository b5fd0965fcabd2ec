import CaptureModel

/// The kind of a key of the queue, read from its name.
enum KeyKind: Hashable {
    case lane(DeviceID)
    case job(CaptureID)
    case settled(CaptureID)
    /// A photo or a depth map.
    case bytes(CaptureID)
    case accepted(SHA256Digest)
}

extension Keyspace {
    /// Matches the keys of all partitions; names of queues have no pattern characters.
    var pattern: String { "{\(queue):*}:*" }

    /// The partition and kind of a key; `nil` for keys that each partition has only one of, and for foreign keys.
    func locate(_ key: String) -> (partition: Int, kind: KeyKind)? {
        guard key.hasPrefix("{\(queue):"), let end = key.firstIndex(of: "}") else { return nil }
        let number = key[key.startIndex..<end].dropFirst(queue.utf8.count + 2)
        let parts = key[key.index(after: end)...].split(separator: ":", maxSplits: 1)
        guard let partition = Int(number), (0..<partitions).contains(partition), parts.count == 2 else { return nil }
        let kind: KeyKind? =
            switch parts[0] {
            case "lane": DeviceID(parts[1]).map { .lane($0) }
            case "job": CaptureID(parts[1]).map { .job($0) }
            case "settled": CaptureID(parts[1]).map { .settled($0) }
            case "photo", "depth": CaptureID(parts[1]).map { .bytes($0) }
            case "accepted": SHA256Digest(hex: String(parts[1])).map { .accepted($0) }
            default: nil
            }
        return kind.map { (partition, $0) }
    }
}
