import CaptureModel
import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// Looks for dead letters without a job or of another partition, and for members of their list that are no ids.
    func examineDead(_ partition: Int, _ examination: inout QueueExamination) async throws(QueueError) {
        let keys = queue.keyspace[partition]
        guard examination.canRead(keys.dead, lookingFor: .deadLetterWithoutJob) else { return }
        var dead: [CaptureID] = []
        var foreign = ForeignMembers()
        try await readMembers(of: keys.dead, reading: { CaptureID($0) }) { captures, others in
            dead += captures
            foreign.add(others)
        }
        if let finding = foreign.finding(.deadEntryWithoutCapture, in: keys.dead, partition: partition) {
            examination.note(finding)
        }
        for page in dead.pages(of: Self.pageSize) {
            let replies = try await queue.send(page.map { RedisCommand("EXISTS", [.string(keys.job($0))]) })
            let jobless = zip(page, replies).filter { $0.1.int == 0 }.map(\.0)
            try await examine(jobless, keys, &examination)
            let devices = try await look(page.map { RedisCommand("HGET", [.string(keys.job($0)), "device"]) })
            for (capture, reply) in zip(page, devices) {
                guard let device = reply.string.flatMap({ DeviceID($0) }), self.partition(of: device) != partition
                else { continue }
                examination.note(QueueFinding(.deadLetterOfOtherPartition, "\(capture)", partition: partition))
            }
        }
    }
}
