package import CaptureModel
package import CaptureQueue
import Logging
import Observability
package import RedisClient

extension RedisCaptureQueue {
    /// How many captures one call turns into dead letters at most before it gives up for this time.
    private static let burialsMax = 16

    /// Whether there may be a lane to take over, in any partition.
    package func hasLapsedLanes() async throws(QueueError) -> Bool {
        let lease = RedisArgument.integer(configuration.leaseDuration.milliseconds)
        let commands = keyspace.all.map {
            RedisCommand("XPENDING", [.string($0.ready), .string(Keyspace.group), "IDLE", lease, "-", "+", 1])
        }
        let replies = try await replies(to: commands)
        let lapsed = replies.indices.filter { replies[$0].array?.isEmpty == false }
        claims.lapsed = lapsed.isEmpty ? nil : lapsed
        if !lapsed.isEmpty { return true }
        // If a group is gone, its leases are gone too: no fault.
        let faults = replies.compactMap { $0.error.map { RedisError($0) } }
        if let fault = faults.first(where: { !$0.isMissingGroup }) { throw QueueError(fault) }
        return false
    }

    /// Takes over at most one lane whose worker has let its lease run out, with one capture only.
    ///
    /// If ``hasLapsedLanes()`` found some, only those partitions are asked, until they have no more. A partition that
    /// refuses keeps nobody from the lanes of the others.
    package func takeOver() async throws(QueueError) -> Lease? {
        let first = claims.nextPartition()
        let found = claims.lapsed
        // In turn, from the one after the last that had a lane.
        let asked = found ?? Array(0..<keyspace.partitions)
        var refusal: QueueError?
        for partition in asked.filter({ $0 >= first }) + asked.filter({ $0 < first }) {
            do throws(QueueError) {
                if let lease = try await takeOver(in: keyspace[partition]) {
                    claims.noteServed(partition)
                    return lease
                }
            } catch {
                guard error.code == .refused else { throw error }
                refusal = refusal ?? QueueError(.refused, "partition \(partition): \(error.message)")
            }
            if found != nil { claims.lapsed = claims.lapsed?.filter { $0 != partition } }
        }
        claims.lapsed = nil
        if let refusal { throw refusal }
        return nil
    }

    private func takeOver(in keys: PartitionKeys) async throws(QueueError) -> Lease? {
        for _ in 0..<Self.burialsMax {
            let sentAt = leases.now()
            let reply: RedisValue
            do {
                reply = try await call(
                    .takeover, in: keys,
                    [
                        .string(consumer), .integer(configuration.leaseDuration.milliseconds),
                        .integer(configuration.deliveriesMax),
                    ]
                )
            } catch {
                claims.noteLoss(in: keys.number)
                throw error
            }
            let parts = reply.array ?? []
            switch parts.first?.string {
            case "none": return nil
            case "claimed":
                guard parts.count == 3, let now = parts[1].int else { throw .malformed(.takeover) }
                let claimedAt = Timestamp(millisecondsSince1970: Int64(now))
                let kept = keep(parts.dropFirst(2), in: keys, claimedAt: claimedAt, sentAt: sentAt)
                if let lease = kept.first { return lease }
            case "dead":
                guard parts.count == 3 else { throw .malformed(.takeover) }
                CaptureMetrics.deadLetter(.deliveriesExhausted)
                logger.error(
                    "a capture was delivered too often and is a dead letter now",
                    metadata: ["device_id": "\(parts[1].string ?? "")", "capture_id": "\(parts[2].string ?? "")"]
                )
            case "dropped": continue
            default: throw .malformed(.takeover)
            }
        }
        return nil
    }

    /// Moves lanes whose delay is over back to the ready ones; returns how many.
    package func promote() async throws(QueueError) -> Int {
        // One partition in turn is called in any case: that shows whether the server accepts writes.
        let turn = claims.takePromotion()
        let due = try await partitionsToPromote(among: keyspace.all.filter { $0.number != turn })
        let commands = ([keyspace[turn]] + due).map {
            FunctionCaller.command(.promote, keys: [$0.ready], [.integer(configuration.promoteLanesMax)])
        }
        return try await callAll(commands).withoutErrors().reduce(0) { $0.addingClamped($1.int ?? 0) }
    }

    /// Whether another worker may have any of these lanes by now; asks no server.
    package func mayBeLost(_ tokens: [LaneToken]) -> Bool {
        // Another worker uses its own lease setting, which may still be the default while the setting is being changed.
        leases.mayBeLost(tokens, after: min(configuration.leaseDuration, RedisQueueConfiguration.defaultLease))
    }

    /// For tests: whether a lease is still this worker's as far as it knows.
    ///
    /// `false` once a renewal has found that another worker holds it.
    package func holds(_ token: LaneToken) -> Bool { leases.holds(token) }

    /// Stops renewing leases whose lanes the worker will not settle; another takes them over.
    package func abandon(_ tokens: [LaneToken]) { leases.release(tokens) }

    /// The calls that give up every lease at once, and name the captures that may be the cause.
    ///
    /// From here on no lease is renewed: a renewal after the calls would make the next workers wait.
    package func surrenders(of suspects: [CaptureID], fault: String) -> [RedisCommand] {
        leases.close()
        let arguments: [RedisArgument] =
            [.string(consumer), .integer(configuration.leaseDuration.milliseconds), .string(fault)]
            + suspects.map { .string($0.description) }
        return keyspace.all.map { FunctionCaller.command(.surrender, keys: [$0.ready], arguments) }
    }

    /// Makes the consumer groups and removes consumers that workers left behind.
    func join() async throws(QueueError) {
        _ = try await callEach(.join, [.integer(configuration.consumerIdleMax.milliseconds)])
    }

    /// Hands back all lanes of this consumer and removes it; returns how many lanes that were.
    ///
    /// For a worker that stops: the next one starts at once and need not wait for the lease. It uses a new connection,
    /// as the existing ones may be broken.
    /// - Parameters:
    ///   - begun: The captures that it has begun, to be worked alone; if unknown, all that it has claimed count.
    ///   - limit: How long it may take, connecting included.
    func leave(
        over client: RedisClient, having begun: [CaptureID]?, within limit: Duration
    ) async throws(QueueError) -> Int {
        let deadline = ContinuousClock.now + limit
        let known = begun.map { ["of"] + $0.map { RedisArgument.string($0.description) } } ?? []
        let calls = keyspace.all.map {
            FunctionCaller.command(.leave, keys: [$0.ready], [.string(consumer)] + known)
        }
        let replies = try await asQueueError { () async throws(RedisError) -> [RedisValue] in
            let connection = try await client.openConnection(within: limit)
            do throws(RedisError) {
                let rest = ContinuousClock.now.duration(to: deadline)
                let replies = try await connection.pipeline(calls, timeout: max(.milliseconds(1), rest))
                await connection.close()
                return replies
            } catch {
                await connection.close()
                throw error
            }
        }
        return try replies.withoutErrors().reduce(0) { $0.addingClamped($1.int ?? 0) }
    }
}
