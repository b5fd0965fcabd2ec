import CaptureModel
import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// How many captures of a lane are asked about at once.
    private static let suspectsMax = 200
    private static let entriesMax = 1000

    /// Reads a lane from its end, as captures leave at the head while the pages are read.
    func readEntries(
        of device: DeviceID, _ keys: PartitionKeys, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        var last = -1
        while true {
            let reply = try await queue.send([
                RedisCommand(
                    "LRANGE", [.string(keys.lane(device)), .integer(last - Self.entriesMax + 1), .integer(last)])
            ])
            let entries = reply[0].array ?? []
            let captures = entries.compactMap { $0.string.flatMap { CaptureID($0) } }
            examination.entries[keys.number, default: LaneEntries()].note(captures, in: device)
            try await countBytes(of: captures, device: device, keys, &examination)
            guard entries.count == Self.entriesMax else { return }
            last -= Self.entriesMax
        }
    }

    /// Checks captures that seem to be in a lane wrongly, or to be missing from it.
    ///
    /// One question at a time: each goes through a whole lane, once for up to ``suspectsMax`` captures.
    func examineEntries(partition: Int, _ examination: inout QueueExamination) async throws(QueueError) {
        let keys = queue.keyspace[partition]
        guard let entries = examination.entries.removeValue(forKey: partition) else { return }
        for (device, captures) in entries.suspects {
            for page in Array(captures).pages(of: Self.suspectsMax) {
                try await examine(page, of: device, keys, &examination)
            }
        }
    }

    private func examine(
        _ captures: [CaptureID], of device: DeviceID, _ keys: PartitionKeys, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        let function = "capture_examine_lane_captures_v1"
        let arguments = ([device.description] + captures.map(\.description)).map { RedisArgument.string($0) }
        let replies = try await ask(function, keys, [arguments]).first?.array ?? []
        guard replies.count == captures.count else { throw .malformed(function) }
        for (capture, reply) in zip(captures, replies) {
            guard let parts = reply.array, parts.count >= 2 else { throw .malformed(function) }
            examination.note(capture, parts, faultsFrom: 2, partition: keys.number, hint: device.description)
        }
    }
}
