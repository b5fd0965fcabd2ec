import CaptureModel
import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// Checks that `heads` has exactly the lanes, each with the time since which its first capture waits.
    ///
    /// A member that is no device is never taken out otherwise, and the oldest member tells how old the queue is.
    func examineHeads(
        lanes: Set<DeviceID>, partition: Int, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        let keys = queue.keyspace[partition]
        guard examination.canRead(keys.heads, lookingFor: .headWrong) else { return }
        var devices = lanes
        var foreign = ForeignMembers()
        try await readMembers(of: keys.heads, reading: { DeviceID($0) }) { noted, others in
            devices.formUnion(noted)
            foreign.add(others)
        }
        if let finding = foreign.finding(.headWithoutDevice, in: keys.heads, partition: partition) {
            examination.note(finding)
        }
        for page in Array(devices).pages(of: Self.questionsMax) {
            let reply = try await ask(.examineHeads, keys, [page.map { .string($0.description) }])
            for device in reply.first?.array?.compactMap(\.string) ?? [] {
                examination.note(QueueFinding(.headWrong, device, partition: partition))
            }
        }
    }

    /// Corrects the heads of lanes that are still wrong.
    func mendHeads(_ findings: [QueueFinding], _ keys: PartitionKeys) async throws(QueueError) -> [QueueFinding] {
        let reply = try await ask(.mendHeads, keys, [findings.map { .string($0.subject) }])
        let noted = Set(reply.first?.array?.compactMap(\.string) ?? [])
        return findings.filter { noted.contains($0.subject) }
    }
}
