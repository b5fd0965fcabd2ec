import CaptureModel
import CaptureQueue
import RedisClient

/// Looks for keys of another type than the queue's, as somebody has written them by hand.
///
/// Redis refuses each command that reads such a key. So it is noted, and left out of everything that follows.
extension QueueDoctor {
    /// The keys of another type, of those that a partition has only one of.
    func wrongKeys(of keys: PartitionKeys) async throws(QueueError) -> [String] {
        let types = keys.types
        let replies = try await queue.send(types.map { RedisCommand("TYPE", [.string($0.key)]) })
        return zip(types, replies).filter { !Self.isWell($1, as: $0.type) }.map { $0.0.key }
    }

    /// Notes the keys of another type, of those that a partition has only one of.
    func examineTypes(of keys: PartitionKeys, _ examination: inout QueueExamination) async throws(QueueError) {
        for key in try await wrongKeys(of: keys) {
            examination.wrongKeys.insert(key)
            examination.note(QueueFinding(.keyOfWrongType, key, partition: keys.number))
        }
    }

    /// Notes the keys of another type among some, and returns the others.
    ///
    /// Jobs are not asked about: what is no job is found as ``QueueFault/jobUnreadable``.
    func readable(
        _ found: [LocatedKey], _ examination: inout QueueExamination
    ) async throws(QueueError) -> [LocatedKey] {
        var readable: [LocatedKey] = []
        var asked: [LocatedKey] = []
        for key in found {
            if case .job = key.kind { readable.append(key) } else { asked.append(key) }
        }
        let replies = try await queue.send(asked.map { RedisCommand("TYPE", [.string($0.name)]) })
        for (key, reply) in zip(asked, replies) {
            guard !Self.isWell(reply, as: key.kind.type) else {
                readable.append(key)
                continue
            }
            examination.note(QueueFinding(.keyOfWrongType, key.name, partition: key.partition))
            if case .lane(let device) = key.kind { examination.wrongLanes[key.partition, default: []].insert(device) }
        }
        return readable
    }

    private static func isWell(_ reply: RedisValue, as type: String) -> Bool {
        // The key may be gone since it was seen.
        reply.string == type || reply.string == "none"
    }

    /// Sends commands that read; a key of another type counts as one that is missing.
    func look(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisValue] {
        try await queue.replies(to: commands).map { $0.error?.prefix == "WRONGTYPE" ? .null : $0 }.withoutErrors()
    }
}
