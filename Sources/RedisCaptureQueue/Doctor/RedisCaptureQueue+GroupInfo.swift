import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// What `XINFO` tells of a partition's `GROUPS` or `CONSUMERS`; `null` when there is no stream or no group.
    func groupInfo(_ what: String, _ keys: PartitionKeys) async throws(QueueError) -> RedisValue {
        let group: [RedisArgument] = what == "CONSUMERS" ? [.string(Keyspace.group)] : []
        do throws(QueueError) {
            return try await send([RedisCommand("XINFO", [.string(what), .string(keys.ready)] + group)])[0]
        } catch  where error.code == .refused {
            return .null
        }
    }
}
