import CaptureModel
import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// How many captures of a lane are asked about at once.
    private static let suspectsMax = 200

    /// Reads a lane; notes the captures in it, and how its bytes are counted.
    func readEntries(
        of device: DeviceID, _ keys: PartitionKeys, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        let count = try await readLane(device, keys) { captures in
            examination.entries[keys.number, default: LaneEntries()].note(captures, in: device)
        }
        examination.laneCounts[keys.number, default: [:]][device] = count
    }

    /// Checks captures that seem to be in a lane wrongly, or to be missing from it.
    ///
    /// One question at a time: each goes through a whole lane, once for up to ``suspectsMax`` captures.
    func examineEntries(partition: Int, _ examination: inout QueueExamination) async throws(QueueError) {
        let keys = queue.keyspace[partition]
        guard let entries = examination.entries.removeValue(forKey: partition) else { return }
        let wrong = examination.wrongLanes[partition, default: []]
        for (device, captures) in entries.suspects where !wrong.contains(device) {
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
