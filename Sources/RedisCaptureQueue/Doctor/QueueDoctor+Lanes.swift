import CaptureModel
import CaptureQueue
import NIOCore
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
    /// How many entries of a lane are read at once.
    static let entriesMax = 1000

    /// Reads a lane from its end, as captures leave at the head while the pages are read.
    ///
    /// The count and the captures' bytes are compared only if the lane was still. Otherwise a lane that is filled or
    /// worked would always seem wrong, and to look at it in one step holds Redis up.
    /// - Parameters:
    ///   - visit: Called with the captures of each page.
    ///   - foreign: Called with the entries of each page that are no ids of captures.
    func readLane(
        _ device: DeviceID, _ keys: PartitionKeys, visit: ([CaptureID]) async -> Void,
        foreign: ([ByteBuffer]) -> Void = { _ in }
    ) async throws(QueueError) -> LaneCount {
        let marks = Self.marks(of: device, keys)
        var last = -1
        let first = try await look(marks + [Self.page(of: device, keys, last: last)])
        guard first.count == marks.count + 1 else { throw .malformed("LRANGE") }
        let before = first.dropLast()
        var entries = first[marks.count].array ?? []
        var bytes = LaneBytes(of: device)
        let isEmpty = entries.isEmpty
        while true {
            let (captures, strangers) = ForeignMembers.split(entries.compactMap(\.buffer), reading: { CaptureID($0) })
            await visit(captures)
            foreign(strangers)
            let isLast = entries.count < Self.entriesMax
            let jobs = captures.map { RedisCommand("HMGET", [.string(keys.job($0)), "device", "bundle"]) }
            let replies = try await look(isLast ? jobs + marks : jobs)
            let others = bytes.add(captures, replies)
            let after = try await add(others, to: &bytes, keys, marks) ?? replies.dropFirst(captures.count)
            guard !isLast else {
                guard after == before else { return .undecided }
                break
            }
            last -= Self.entriesMax
            entries = try await look([Self.page(of: device, keys, last: last)]).first?.array ?? []
        }
        let (counted, sum) = (before.first?.int, isEmpty ? nil : bytes.sum)
        // A lane of captures without bytes need not be counted.
        return counted == sum || (counted == nil && sum == 0) ? .right : .wrong
    }

    /// Adds those captures of a lane that were submitted for its device, though their jobs name another.
    ///
    /// A submission may be long: no other captures' are read, and few at once.
    /// - Returns: The lane's marks, read with the last of them; `nil` without any.
    private func add(
        _ others: [LaneBytes.Other], to bytes: inout LaneBytes, _ keys: PartitionKeys, _ marks: [RedisCommand]
    ) async throws(QueueError) -> ArraySlice<RedisValue>? {
        var after: ArraySlice<RedisValue>?
        for page in others.pages(of: Self.questionsMax) {
            let submissions = page.map { RedisCommand("HGET", [.string(keys.job($0.capture)), "submission"]) }
            let replies = try await look(submissions + marks)
            bytes.add(page, submissions: replies)
            after = replies.dropFirst(page.count)
        }
        return after
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
}

/// Adds up the bytes of a device's own captures in its lane, each counted once, as `examine_lane_bytes.lua` does.
private struct LaneBytes {
    /// A capture whose job names another device, with its bytes.
    typealias Other = (capture: CaptureID, bytes: Int)

    private(set) var sum = 0
    private var counted: Set<CaptureID> = []
    private let device: DeviceID

    init(of device: DeviceID) {
        self.device = device
    }

    /// Adds captures, with the device and the bundle that the job of each names.
    /// - Returns: Those whose job names another device: each counts if it was submitted for this one.
    mutating func add(_ captures: [CaptureID], _ jobs: [RedisValue]) -> [Other] {
        var others: [Other] = []
        for (capture, job) in zip(captures, jobs) where counted.insert(capture).inserted {
            guard let fields = job.array, fields.count == 2, let bundle = fields[1].string.flatMap({ BundleText($0) })
            else { continue }
            let bytes = bundle.photoBytes + bundle.depthBytes
            if fields[0].string == device.description { sum += bytes } else { others.append((capture, bytes)) }
        }
        return others
    }

    /// Adds those that were submitted for the device, whatever device a worker has written into their jobs since.
    mutating func add(_ others: [Other], submissions: [RedisValue]) {
        for (other, submission) in zip(others, submissions)
        where submission.buffer?.readableBytesView.starts(with: device.description.utf8) == true {
            sum += other.bytes
        }
    }
}
