package import CaptureModel
package import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// How full the queue is, over all partitions.
    ///
    /// Those that refuse to tell, as when a key in one is damaged, are left out as long as another answers: they keep
    /// nobody from working with the others.
    package func load() async throws(QueueError) -> QueueLoad {
        var total = QueueLoad(
            captures: 0, bytes: 0, deadLetters: 0, readyLanes: 0, delayedLanes: 0, leasedLanes: 0, capturesMax: 0,
            bytesMax: 0
        )
        for reply in try await loads() {
            guard let partition = QueueLoad(reply: reply) else { throw .malformed(.load) }
            total.add(partition)
        }
        return total
    }

    /// The answers of the partitions that tell how full they are; throws the first refusal if there is no answer.
    private func loads() async throws(QueueError) -> [RedisValue] {
        let replies: [RedisValue]
        let refusals: [Int: QueueError]
        do throws(QueueError) {
            replies = try await askEach(.load)
            refusals = try replies.refusals()
        } catch {
            if !error.isRefusal, error.code != .busy { partitionRefusals.noteAway() }
            throw error
        }
        partitionRefusals.note(loads: refusals)
        if refusals.count == replies.count, let first = refusals[0] { throw first }
        return replies.filter { $0.error == nil }
    }

    /// Asks every partition, as a capture's id does not tell its partition.
    package func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
        let partitions = keyspace.all
        var found: [JobStatus?] = []
        found.reserveCapacity(captures.count)
        for page in captures.pages(of: max(1, Self.commandsMax / (2 * partitions.count))) {
            found += try await statuses(page.map { (capture: $0, partitions: partitions) })
        }
        return found
    }

    /// Asks the devices' own partitions only.
    package func status(
        of captures: [(capture: CaptureID, device: DeviceID)]
    ) async throws(QueueError) -> [JobStatus?] {
        try await statuses(captures.map { (capture: $0.capture, partitions: [keyspace.partition(of: $0.device)]) })
    }

    /// - Parameter captures: Each with the partitions that may know it.
    private func statuses(
        _ captures: [(capture: CaptureID, partitions: [PartitionKeys])]
    ) async throws(QueueError) -> [JobStatus?] {
        let names = JobFields.status.map { RedisArgument.string($0) }
        let questions = captures.flatMap { capture, partitions in
            partitions.flatMap { keys -> [(key: String, command: RedisCommand)] in
                let (job, settled) = (keys.job(capture), keys.settled(capture))
                // In this order, so that a capture settled in between is found in one of the two.
                return [
                    (job, RedisCommand("HMGET", [.string(job)] + names)),
                    (settled, RedisCommand("GET", [.string(settled)])),
                ]
            }
        }
        let answers = try await replies(to: questions.map(\.command))
        // Not taken for an unknown capture, whose bytes may be removed.
        for (question, answer) in zip(questions, answers) where answer.error?.prefix == "WRONGTYPE" {
            throw .damaged(question.key)
        }
        let refusals = try answers.refusals()
        var found: [JobStatus?] = []
        var next = 0
        for (capture, partitions) in captures {
            let places = next..<next + 2 * partitions.count
            next = places.upperBound
            // A capture found in both was settled in between: the later answer counts.
            let status = answers[places].lazy.compactMap { $0.status(of: capture) }.last
            // It may be in a partition that refuses to answer.
            if status == nil, let refusal = places.lazy.compactMap({ refusals[$0] }).first { throw refusal }
            found.append(status)
        }
        return found
    }
}

extension RedisValue {
    /// The status in a job's fields or in the text of a settled capture.
    fileprivate func status(of capture: CaptureID) -> JobStatus? {
        if let fields = array { return JobFields(names: JobFields.status, values: fields[...]).status(capture) }
        return string.flatMap { SettledText($0) }?.status(of: capture)
    }
}
