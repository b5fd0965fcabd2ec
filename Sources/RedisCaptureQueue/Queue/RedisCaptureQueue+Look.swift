import CaptureModel
import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// The partitions in which a claim may find a lane, found with commands that cost Redis a fraction of a claim.
    ///
    /// A partition is left out only if it certainly has none. If its stream or group is gone or of a wrong type, it
    /// stays in: the claim mends or reports that. So does one that refused the last claim, to see when that is over.
    func partitionsToClaim(among partitions: [Int]) async throws(QueueError) -> [Int] {
        guard !partitions.isEmpty else { return [] }
        let commands = partitions.flatMap { partition in
            let ready = RedisArgument.string(keyspace[partition].ready)
            return [
                RedisCommand("XINFO", ["GROUPS", ready]), RedisCommand("XREVRANGE", [ready, "+", "-", "COUNT", 1]),
            ]
        }
        let replies = try await replies(to: commands)
        return zip(partitions, stride(from: 0, to: replies.count, by: 2)).filter { partition, index in
            partitionRefusals.contains(partition)
                || !Self.hasDeliveredAll(groups: replies[index], newest: replies[index + 1])
        }.map(\.0)
    }

    /// The partitions in which the delay of a lane is over, by the server's clock.
    func partitionsToPromote(among partitions: [PartitionKeys]) async throws(QueueError) -> [PartitionKeys] {
        guard !partitions.isEmpty else { return [] }
        let commands = partitions.map { RedisCommand("ZRANGE", [.string($0.delayed), 0, 0, "WITHSCORES"]) }
        let replies = try await replies(to: commands)
        // Last: a lane that is due by this time is due for the promotion too.
        let now = try await serverTime()
        return zip(partitions, replies).filter { _, reply in
            guard let first = reply.array else { return true }
            guard let score = first.last?.string.flatMap({ Double($0) }) else { return !first.isEmpty }
            return score <= Double(now.microsecondsSince1970 / 1_000)
        }.map(\.0)
    }

    private static func hasDeliveredAll(groups: RedisValue, newest: RedisValue) -> Bool {
        guard let delivered = StreamID.lastDelivered(in: groups), let entries = newest.array else { return false }
        guard let newest = entries.first else { return true }
        guard let id = newest.array?.first?.string.flatMap(StreamID.init) else { return false }
        return id <= delivered
    }
}
