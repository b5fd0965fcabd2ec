import CaptureModel
import CaptureQueue
import Logging
import RedisClient

/// One call that renews leases of one partition.
struct RenewalBatch: Sendable {
    /// How many leases one call renews at most.
    private static let leasesMax = 256

    let tokens: [LaneToken]
    let command: RedisCommand

    /// The calls that renew all leases that are held; leaked ones are logged, and dropped.
    static func all(of keeper: LeaseKeeper, keyspace: Keyspace, consumer: String, logger: Logger) -> [RenewalBatch] {
        let (held, leaked) = keeper.dropLeaked()
        for token in leaked {
            logger.error("a lease was held for too long and is not renewed any more", metadata: ["lease": "\(token)"])
        }
        return held.flatMap { partition, tokens in
            tokens.pages(of: leasesMax).map { batch in
                let arguments = [RedisArgument.string(consumer)] + batch.map { .string($0.text) }
                return RenewalBatch(
                    tokens: batch,
                    command: FunctionCaller.command(.renew, keys: [keyspace[partition].ready], arguments)
                )
            }
        }
    }

    /// The tokens whose leases an answer names as lost.
    func lost(in reply: RedisValue) -> [LaneToken] {
        let lost = Set(reply.array?.compactMap(\.string) ?? [])
        return tokens.filter { lost.contains($0.text) }
    }
}
