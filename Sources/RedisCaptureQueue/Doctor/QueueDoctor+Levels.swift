import CaptureModel
package import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// The counters of what comes, goes, dies and is put back; `ACTIVITY` of the functions is the same.
    static let activityNames = ["accepted", "restored", "verified", "rejected", "failed", "redriven", "discarded"]
    private static let activityFields = activityNames.map(RedisArgument.string)

    /// How many captures have come, gone, died or been put back in a partition since the queue was made.
    ///
    /// Only its differences are used: they are right even if a damaged counter makes it wrap.
    func activity(_ keys: PartitionKeys) async throws(QueueError) -> Int {
        let reply = try await queue.send([RedisCommand("HMGET", [.string(keys.stats)] + Self.activityFields)])
        return (reply[0].array ?? []).reduce(0) { $0 &+ ($1.int ?? 0) }
    }

    /// Compares the levels with the counts from the walk through the keys.
    ///
    /// The walk takes time. Each capture that came or went meanwhile may have been counted or not, so a difference up
    /// to their number proves nothing, and the bytes are compared only if no capture came or went.
    func compareLevels(_ examination: inout QueueExamination) async throws(QueueError) {
        for keys in queue.keyspace.all where examination.canRead(keys.stats, lookingFor: .levelWrong) {
            let reply = try await queue.send([
                RedisCommand("HMGET", [.string(keys.stats), "queued", "bytes", "dead_bytes"] + Self.activityFields)
            ])
            let values = (reply[0].array ?? []).map { $0.int ?? 0 }
            guard values.count == 10 else { throw .malformed("HMGET") }
            let moved = values.dropFirst(3).reduce(0, &+) &- examination.activity[keys.number, default: 0]
            let counted = Self.counted(examination, keys)
            let levels = zip(zip(["queued", "bytes", "dead_bytes"], values), counted)
            for ((name, value), truth) in levels where value != truth {
                let isFar = name == "queued" && value.addingClamped(-truth).magnitude > moved
                guard moved == 0 || isFar else { continue }
                examination.note(
                    QueueFinding(.levelWrong, "\(name): \(value), counted \(truth)", partition: keys.number))
            }
            if moved != 0 { examination.countersCompared = false }
        }
    }

    private static func counted(_ examination: QueueExamination, _ keys: PartitionKeys) -> [Int] {
        [
            examination.waitingCount[keys.number, default: 0], examination.waitingBytes[keys.number, default: 0],
            examination.failedBytes[keys.number, default: 0],
        ]
    }

    /// Sets the levels of all partitions to the counts of an examination, and counts the bytes of wrong lanes again.
    ///
    /// A partition that has a key of another type, of those that it has only one of, is left as it is.
    /// - Returns: `false` when captures came or went in a partition since it began; its levels are left as they were.
    package func recount(_ examination: QueueExamination) async throws(QueueError) -> Bool {
        precondition(examination.isWhole, "counts of a part of the queue")
        try await recountLanes(examination)
        var isDone = true
        for keys in queue.keyspace.all {
            guard try await wrongKeys(of: keys).isEmpty else { continue }
            let levels = [examination.activity[keys.number, default: 0]] + Self.counted(examination, keys)
            let reply = try await ask(.recount, keys, [levels.map { .integer($0) }])
            if reply.first?.int != 1 { isDone = false }
        }
        return isDone
    }
}
