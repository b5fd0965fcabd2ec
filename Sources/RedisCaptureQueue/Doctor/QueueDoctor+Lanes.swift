import CaptureModel
import CaptureQueue
import RedisClient

/// How the bytes that are counted of a lane compare with those of its captures.
enum LaneCount {
    /// They are equal.
    case right
    /// They differ, and the lane was still.
    case wrong
    /// Not known: captures came or went while the lane was read, or it was not read.
    case undecided
}

extension QueueDoctor {
    private static let entriesMax = 1000

    /// Reads a lane from its end, as captures leave at the head while the pages are read.
    ///
    /// The count and the captures' bytes are compared only if the lane was still. Otherwise a lane that is filled or
    /// worked would always seem wrong, and to look at it in one step holds Redis up.
    /// - Parameter visit: Called with the captures of each page.
    func readLane(
        _ device: DeviceID, _ keys: PartitionKeys, visit: ([CaptureID]) async -> Void
    ) async throws(QueueError) -> LaneCount {
        let marks = Self.marks(of: device, keys)
        var last = -1
        let first = try await look(marks + [Self.page(of: device, keys, last: last)])
        guard first.count == marks.count + 1 else { throw .malformed("LRANGE") }
        let before = first.dropLast()
        var entries = first[marks.count].array ?? []
        var bytes: Int? = entries.isEmpty ? nil : 0
        while true {
            let captures = entries.compactMap { $0.string.flatMap { CaptureID($0) } }
            await visit(captures)
            let isLast = entries.count < Self.entriesMax
            let bundles = captures.map { RedisCommand("HGET", [.string(keys.job($0)), "bundle"]) }
            let replies = try await look(isLast ? bundles + marks : bundles)
            bytes = bytes.map { $0 + Self.bytes(in: replies.prefix(captures.count)) }
            guard !isLast else {
                guard replies.dropFirst(captures.count) == before else { return .undecided }
                break
            }
            last -= Self.entriesMax
            entries = try await look([Self.page(of: device, keys, last: last)]).first?.array ?? []
        }
        let counted = before.first?.int
        // A lane of captures without bytes need not be counted.
        return counted == bytes || (counted == nil && bytes == 0) ? .right : .wrong
    }

    /// What changes whenever a capture comes or goes: the counted bytes of a lane, and the captures at its two ends.
    private static func marks(of device: DeviceID, _ keys: PartitionKeys) -> [RedisCommand] {
        [
            RedisCommand("HGET", [.string(keys.laneBytes), .string(device.description)]),
            RedisCommand("LINDEX", [.string(keys.lane(device)), 0]),
            RedisCommand("LINDEX", [.string(keys.lane(device)), -1]),
        ]
    }

    /// Reads the entries of a lane up to one that is counted from the end.
    private static func page(of device: DeviceID, _ keys: PartitionKeys, last: Int) -> RedisCommand {
        RedisCommand("LRANGE", [.string(keys.lane(device)), .integer(last - entriesMax + 1), .integer(last)])
    }

    private static func bytes(in replies: ArraySlice<RedisValue>) -> Int {
        let bundles = replies.compactMap { $0.string.flatMap { BundleText($0) } }
        return bundles.reduce(0) { $0 + $1.photoBytes + $1.depthBytes }
    }
}
