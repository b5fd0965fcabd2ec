package import CaptureModel
package import CaptureQueue
import RedisClient

extension RedisCaptureQueue: SweepQueue {
    /// Asks every partition whether it has the capture's job or its result, without reading them.
    package func knows(_ captures: [CaptureID]) async throws(QueueError) -> [Bool] {
        guard !captures.isEmpty else { return [] }
        let partitions = keyspace.all
        let replies = try await send(
            captures.flatMap { capture in
                partitions.map { keys in
                    RedisCommand("EXISTS", [.string(keys.job(capture)), .string(keys.settled(capture))])
                }
            }
        )
        let each = partitions.count
        guard replies.count == captures.count * each else { throw .malformed("EXISTS") }
        return captures.indices.map { index in
            // A reply that is no number does not prove that the capture is gone.
            replies[index * each..<(index + 1) * each].contains { $0.int != 0 }
        }
    }
}
