import CaptureModel
import CaptureQueue
import Logging
import RedisClient

/// One call that renews leases of one partition.
struct RenewalBatch: Sendable {
    /// How many leases one call renews at most.
    private static let leasesMax = 256

    let leases: [LaneToken]
    let command: RedisCommand

    /// The calls that renew all leases that are due.
    static func due(of keeper: LeaseKeeper, keyspace: Keyspace, consumer: String, logger: Logger) -> [RenewalBatch] {
        let (held, forgotten) = keeper.due()
        for lease in forgotten {
            logger.error("a lease was held for too long and is not renewed any more", metadata: ["lease": "\(lease)"])
        }
        return held.flatMap { partition, leases in
            leases.pages(of: leasesMax).map { batch in
                let arguments = [RedisArgument.string(consumer)] + batch.map { .string($0.text) }
                return RenewalBatch(
                    leases: batch,
                    command: FunctionCaller.command("capture_renew_v1", keys: [keyspace[partition].ready], arguments)
                )
            }
        }
    }

    /// The leases that an answer names as lost.
    func lost(in reply: RedisValue) -> [LaneToken] {
        let lost = Set(reply.array?.compactMap(\.string) ?? [])
        return leases.filter { lost.contains($0.text) }
    }
}
