import CaptureModel
import CaptureQueue
import RedisClient

/// Looks for captures of another partition in a lane: by its own keys a partition cannot tell them from lost ones.
extension QueueDoctor {
    /// Those of some captures, unknown in a partition, that are known in the one that their device belongs to.
    func knownElsewhere(_ captures: [CaptureID], besides partition: Int) async throws(QueueError) -> Set<CaptureID> {
        let others = queue.keyspace.all.filter { $0.number != partition }
        guard !others.isEmpty else { return [] }
        var known: Set<CaptureID> = []
        for capture in captures {
            let questions = others.flatMap { keys in
                [
                    RedisCommand("HGET", [.string(keys.job(capture)), "device"]),
                    RedisCommand("GET", [.string(keys.settled(capture))]),
                ]
            }
            let replies = try await look(questions)
            guard replies.count == questions.count else { throw .malformed("HGET") }
            for (index, keys) in others.enumerated() {
                // A status begins with the device.
                let devices = replies[2 * index...2 * index + 1].compactMap { reply in
                    reply.string.flatMap { text in DeviceID(text.prefix(while: { $0 != " " })) }
                }
                if devices.contains(where: { self.partition(of: $0) == keys.number }) { known.insert(capture) }
            }
        }
        return known
    }

    /// Takes captures of other partitions out of the lanes of this one.
    ///
    /// No worker holds such an entry, as a claim makes a dead letter of it. A capture that has come to be known here
    /// is left.
    func mendStrayEntries(
        _ findings: [QueueFinding], _ keys: PartitionKeys
    ) async throws(QueueError) -> [QueueFinding] {
        let known = try await knownElsewhere(findings.compactMap { CaptureID($0.subject) }, besides: keys.number)
        var mended: [QueueFinding] = []
        for finding in findings {
            guard let capture = CaptureID(finding.subject), known.contains(capture),
                let device = DeviceID(finding.hint)
            else { continue }
            let own = [RedisArgument.string(keys.job(capture)), .string(keys.settled(capture))]
            guard try await queue.send([RedisCommand("EXISTS", own)])[0].int == 0 else { continue }
            let removal = RedisCommand("LREM", [.string(keys.lane(device)), 0, .string(capture.description)])
            if try await queue.send([removal])[0].int ?? 0 > 0 { mended.append(finding) }
        }
        // It may have been the head of its lane.
        let lanes = Set(mended.map(\.hint))
        if !lanes.isEmpty { _ = try await ask("capture_mend_heads_v1", keys, [lanes.map { .string($0) }]) }
        return mended
    }
}
