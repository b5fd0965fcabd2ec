import CaptureModel
import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// Adds up the bytes of captures that were found in a lane.
    func countBytes(
        of captures: [CaptureID], device: DeviceID, _ keys: PartitionKeys, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        let replies = try await queue.send(captures.map { RedisCommand("HGET", [.string(keys.job($0)), "bundle"]) })
        let bundles = replies.compactMap { $0.string.flatMap { BundleText($0) } }
        let bytes = bundles.reduce(0) { $0 + $1.photoBytes + $1.depthBytes }
        examination.laneBytes[keys.number, default: [:]][device, default: 0] += bytes
    }

    /// Checks whether each lane's byte count, by which uploads of a device are refused, is the sum over its captures.
    ///
    /// Only lanes whose count seems wrong are read as a whole.
    func examineLaneBytes(
        partition: Int, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        let keys = queue.keyspace[partition]
        let seen = examination.laneBytes[partition, default: [:]]
        var counted: [DeviceID: Int] = [:]
        try await queue.pages("HSCAN", [.string(keys.laneBytes)], ["COUNT", 1000]) { items in
            for (name, value) in items.pairs {
                if let device = DeviceID(name) { counted[device] = value.int }
            }
        }
        let suspects = Set(seen.keys).union(counted.keys).filter { seen[$0] != counted[$0] }
        for page in Array(suspects).pages(of: Self.questionsMax) {
            let replies = try await ask(
                "capture_examine_lane_bytes_v1", keys, page.map { [.string($0.description)] })
            for (device, reply) in zip(page, replies) {
                guard let bytes = reply.array?.compactMap(\.int), bytes.count == 2 else { continue }
                let text = "bytes of \(device): \(max(0, bytes[0])), counted \(max(0, bytes[1]))"
                examination.note(
                    QueueFinding(.levelWrong, text, partition: partition, hint: device.description))
            }
        }
    }

    /// Counts the bytes again of lanes whose count an examination found wrong, if it still is.
    func recountLanes(_ examination: QueueExamination) async throws(QueueError) {
        let wrong = examination.findings.filter { $0.fault == .levelWrong && !$0.hint.isEmpty }
        for (partition, findings) in Dictionary(grouping: wrong, by: \.partition) {
            for page in findings.pages(of: Self.questionsMax) {
                _ = try await ask(
                    "capture_mend_lane_bytes_v1", queue.keyspace[partition], page.map { [.string($0.hint)] })
            }
        }
    }
}
