import CaptureModel
import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// How many captures of a lane are asked about at once.
    private static let suspectsMax = 200

    /// Reads a lane; notes the captures in it, entries that are none, and how its bytes are counted.
    func readEntries(
        of device: DeviceID, _ keys: PartitionKeys, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        var foreign = ForeignMembers()
        let count = try await readLane(device, keys) { captures in
            examination.entries[keys.number, default: LaneEntries()].note(captures, in: device)
        } foreign: { entries in
            foreign.add(entries)
        }
        examination.laneCounts[keys.number, default: [:]][device] = count
        let finding = foreign.finding(.laneEntryWithoutCapture, in: keys.lane(device), partition: keys.number)
        if let finding { examination.note(finding) }
    }

    /// Takes all entries that are no ids of captures out of the lanes that have them.
    ///
    /// From the end, as the lane is read: what is near it is found without going through the lane. No worker holds such
    /// an entry, as a claim ends before it.
    func mendEntries(_ findings: [QueueFinding]) async throws(QueueError) -> [QueueFinding] {
        var mended: [QueueFinding] = []
        for finding in findings {
            let lane = RedisArgument.string(finding.hint)
            var (last, isMended, isRead) = (-1, false, false)
            while !isRead {
                let page = RedisCommand("LRANGE", [lane, .integer(last - Self.entriesMax + 1), .integer(last)])
                let entries = try await queue.send([page])[0].array ?? []
                let foreign = ForeignMembers.split(entries.compactMap(\.buffer), reading: { CaptureID($0) }).foreign
                let removals = foreign.reversed().map { RedisCommand("LREM", [lane, -1, .buffer($0)]) }
                for commands in removals.pages(of: Self.questionsMax) {
                    _ = try await queue.send(commands)
                    isMended = true
                }
                isRead = entries.count < Self.entriesMax
                // The rest of the page is nearer to the end now.
                last -= entries.count - foreign.count
            }
            if isMended { mended.append(finding) }
        }
        return mended
    }

    /// Checks captures that seem to be in a lane wrongly or twice, or to be missing from it.
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
        let function = QueueFunction.examineLaneCaptures
        let arguments = ([device.description] + captures.map(\.description)).map { RedisArgument.string($0) }
        let replies = try await ask(function, keys, [arguments]).first?.array ?? []
        guard replies.count == captures.count else { throw .malformed(function) }
        let jobless = zip(captures, replies).filter { _, reply in
            (reply.array ?? []).contains { $0.string == QueueFault.laneEntryWithoutJob.rawValue }
        }
        let strays = try await strays(among: jobless.map(\.0), in: keys)
        for (capture, reply) in zip(captures, replies) {
            guard let parts = reply.array, parts.count >= 2 else { throw .malformed(function) }
            guard strays[capture] == nil else {
                examination.note(
                    QueueFinding(
                        .laneEntryOfOtherPartition, "\(capture)", partition: keys.number, hint: device.description))
                continue
            }
            examination.note(capture, parts, faultsFrom: 2, partition: keys.number, hint: device.description)
        }
    }
}
