import CaptureQueue
import Logging
import RedisClient

extension RedisCaptureQueue {
    /// The most pending tokens that one look tells; `PENDING_MAX` of the functions is the same.
    static let pendingTokensMax = 10_000

    /// Claims the tokens that were delivered to this consumer in a lost answer.
    func reclaimLost(lanesMax: Int, capturesMax: Int) async throws(QueueError) -> PartitionClaims {
        try await gather(claims.losses(), lanesMax: lanesMax) { (keys, lanesMax) async throws(QueueError) in
            // Once the partition answers claims again, it counts as one with lost answers. Until then the other claims
            // need not wait for each look.
            guard !partitionRefusals.contains(keys.number) else {
                claims.clearLoss(in: keys.number)
                return []
            }
            let pending = try await pendingTokens(keys)
            let lost = pending.filter { !leases.holdsToken($0, partition: keys.number) }
            // The loss is cleared before the call, which may note a new one. Tokens beyond `lanesMax` wait for the next
            // claim, and so do those beyond what one look tells.
            let now = lost.prefix(lanesMax)
            if now.count == lost.count, pending.count < Self.pendingTokensMax { claims.clearLoss(in: keys.number) }
            guard !now.isEmpty else { return [] }
            logger.notice("claiming the tokens of a lost answer", metadata: ["count": "\(now.count)"])
            return try await claim(in: keys, tokens: Array(now), lanesMax: lanesMax, capturesMax: capturesMax)
        }
    }

    /// The pending tokens of this consumer.
    ///
    /// `XPENDING` and not `XREADGROUP … 0`, which counts as a delivery.
    private func pendingTokens(_ keys: PartitionKeys) async throws(QueueError) -> [String] {
        let client = functions.client
        do {
            let reply = try await client.send(
                RedisCommand(
                    "XPENDING",
                    [
                        .string(keys.ready), .string(Keyspace.group), "-", "+", .integer(Self.pendingTokensMax),
                        .string(consumer),
                    ]))
            return reply.array?.compactMap { $0.array?.first?.string } ?? []
        } catch let error where error.isMissingGroup {
            return []
        } catch {
            throw QueueError(error)
        }
    }
}
