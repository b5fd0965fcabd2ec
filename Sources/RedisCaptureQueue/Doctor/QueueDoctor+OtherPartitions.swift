import CaptureModel
import CaptureQueue
import RedisClient

/// Looks for captures of another partition in a lane: by its own keys a partition cannot tell them from lost ones. Looks
/// for keys of partitions that the queue does not have, too.
extension QueueDoctor {
    /// Notes those of some keys that captures wait or are kept by in partitions beyond the queue's.
    ///
    /// One that expires, as the bytes of an upload that was never finished, is left out.
    func examineBeyond(_ names: [String], _ examination: inout QueueExamination) async throws(QueueError) {
        let beyond = names.compactMap { name in
            queue.keyspace.partitionBeyond(name).map { (name: name, partition: $0) }
        }
        guard !beyond.isEmpty else { return }
        let ends = try await queue.send(beyond.map { RedisCommand("PTTL", [.string($0.name)]) })
        // -1: it has no expiry.
        for (key, end) in zip(beyond, ends) where end.int == -1 {
            examination.note(QueueFinding(.keyBeyondPartitions, key.name, partition: key.partition))
        }
    }

    /// Those of some captures of which a partition has neither job, status nor bytes, and that are known in the one
    /// that their device belongs to; with that partition.
    ///
    /// Bytes may be the only ones left: a capture that has some here becomes a dead letter, which keeps them.
    func strays(
        among captures: [CaptureID], in keys: PartitionKeys
    ) async throws(QueueError) -> [CaptureID: PartitionKeys] {
        let others = queue.keyspace.all.filter { $0.number != keys.number }
        guard !others.isEmpty else { return [:] }
        var strays: [CaptureID: PartitionKeys] = [:]
        for capture in captures {
            let own = [keys.job(capture), keys.settled(capture), keys.photo(capture), keys.depth(capture)]
            var questions = [RedisCommand("EXISTS", own.map { .string($0) })]
            for other in others {
                questions.append(RedisCommand("HGET", [.string(other.job(capture)), "device"]))
                questions.append(RedisCommand("GET", [.string(other.settled(capture))]))
            }
            let replies = try await look(questions)
            guard replies.count == questions.count else { throw .malformed("EXISTS") }
            guard replies[0].int == 0 else { continue }
            for (index, other) in others.enumerated() {
                // A status begins with the device.
                let devices = replies[2 * index + 1...2 * index + 2].compactMap { reply in
                    reply.string.flatMap { text in DeviceID(text.prefix(while: { $0 != " " })) }
                }
                if devices.contains(where: { partition(of: $0) == other.number }) { strays[capture] = other }
            }
        }
        return strays
    }

    /// Takes captures of other partitions out of the lanes of this one.
    ///
    /// One that has come to be known here, or is not known any more in its own partition, is left.
    func mendStrayEntries(
        _ findings: [QueueFinding], _ keys: PartitionKeys
    ) async throws(QueueError) -> [QueueFinding] {
        var mended: [QueueFinding] = []
        for finding in findings {
            guard let capture = CaptureID(finding.subject),
                let owner = try await strays(among: [capture], in: keys)[capture]
            else { continue }
            let removed = try await queue.functions.call(
                .mendStrayEntry, keys: [keys.ready, owner.ready],
                [.string(finding.hint), .string(finding.subject)])
            if removed.int ?? 0 > 0 { mended.append(finding) }
        }
        return mended
    }
}
