import CaptureModel
import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// How often a lane is read until it was still meanwhile.
    private static let readingsMax = 3

    /// Checks whether each lane's byte count, by which uploads of a device are refused, is the sum over its captures.
    ///
    /// Only lanes whose count was wrong while they were still are read in one step. One question at a time: each takes
    /// a tenth of a second for a lane of 20,000 captures.
    func examineLaneBytes(
        partition: Int, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        let keys = queue.keyspace[partition]
        guard examination.canRead(keys.laneBytes, lookingFor: .levelWrong) else { return }
        var counts = examination.laneCounts.removeValue(forKey: partition) ?? [:]
        try await queue.functions.client.scan("HSCAN", [.string(keys.laneBytes)], ["COUNT", 1000]) { items in
            for device in items.pairs.compactMap({ DeviceID($0.name) }) where counts[device] == nil {
                counts[device] = .undecided
            }
        }
        for device in examination.wrongLanes[partition, default: []] { counts[device] = nil }
        for _ in 1..<Self.readingsMax {
            for device in counts.filter({ $0.value == .undecided }).keys {
                counts[device] = try await readLane(device, keys) { _ in }
            }
        }
        if counts.values.contains(.undecided) { examination.countersCompared = false }
        for device in counts.filter({ $0.value == .wrong }).keys {
            let reply = try await ask(.examineLaneBytes, keys, [[.string(device.description)]])
            guard let bytes = reply.first?.array?.compactMap(\.int), bytes.count == 2 else { continue }
            let text = "bytes of \(device): \(max(0, bytes[0])), counted \(max(0, bytes[1]))"
            examination.note(QueueFinding(.levelWrong, text, partition: partition, hint: device.description))
        }
    }

    /// Counts the bytes again of lanes whose count an examination found wrong, if it still is.
    func recountLanes(_ examination: QueueExamination) async throws(QueueError) {
        let wrong = examination.findings.filter { $0.fault == .levelWrong && !$0.hint.isEmpty }
        for (partition, findings) in Dictionary(grouping: wrong, by: \.partition) {
            let keys = queue.keyspace[partition]
            guard try await wrongKeys(of: keys).isEmpty else { continue }
            for finding in findings { _ = try await ask(.mendLaneBytes, keys, [[.string(finding.hint)]]) }
        }
    }
}
