import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// The rows of `XINFO` about a partition's stream; none when there is no stream or no group.
    func groupRows(_ what: String, _ keys: PartitionKeys) async throws(QueueError) -> [[String: RedisValue]] {
        let group: [RedisArgument] = what == "CONSUMERS" ? [.string(Keyspace.group)] : []
        let reply: RedisValue
        do throws(QueueError) {
            reply = try await send([RedisCommand("XINFO", [.string(what), .string(keys.ready)] + group)])[0]
        } catch  where error.code == .refused {
            // The stream or its group is not there.
            return []
        }
        return (reply.array ?? []).map { row in
            Dictionary((row.array ?? []).pairs.map { ($0.name, $0.value) }) { first, _ in first }
        }
    }

    /// Walks through a collection in pages, without blocking the server.
    func pages(
        _ command: String, _ before: [RedisArgument], _ after: [RedisArgument] = [],
        _ body: ([RedisValue]) async throws(QueueError) -> Void
    ) async throws(QueueError) {
        var cursor = "0"
        repeat {
            let reply = try await send([RedisCommand(command, before + [.string(cursor)] + after)])
            guard let parts = reply[0].array, parts.count == 2, let next = parts[0].string else {
                throw .malformed(command)
            }
            try await body(parts[1].array ?? [])
            cursor = next
        } while cursor != "0"
    }
}
