import CaptureModel
package import CaptureQueue
import RedisClient
import Waiting

extension RedisCaptureQueue {
    /// With one partition the wait is a blocking read on a connection of its own; with several, or where no such
    /// connection can be made, it is a poll.
    package func claim(lanesMax: Int, capturesPerLaneMax: Int, wait: Duration) async throws(QueueError) -> [Lease] {
        guard lanesMax > 0, capturesPerLaneMax > 0, !leases.isClosed else { return [] }
        let deadline = ContinuousClock.now + wait
        let entry = await enterClaim(until: deadline)
        guard entry != .wait else { return [] }
        defer { claims.leave() }
        var refusal: QueueError?
        if entry == .reclaim {
            defer { claims.finishReclaiming() }
            let lost = try await reclaimLost(lanesMax: lanesMax, capturesMax: capturesPerLaneMax)
            if !lost.leases.isEmpty { return lost.leases }
            refusal = lost.fault(of: keyspace.partitions)
        }
        while await isTimeToLook(wait, until: deadline) {
            // A lane that is claimed after all leases were given up would wait until its lease runs out.
            guard !leases.isClosed else { return [] }
            let claimed = try await claimNow(lanesMax: lanesMax, capturesMax: capturesPerLaneMax)
            if claimed.isEmpty, let refusal { throw refusal }
            guard claimed.isEmpty, wait > .zero else { return claimed }
            if keyspace.partitions == 1, !claims.isPaused {
                // Others may have claimed every token up to the deadline. A token that came just before it is claimed
                // after it: no other worker was told of that one.
                guard ContinuousClock.now < deadline, try await isTokenAdded(before: deadline, lanesMax: lanesMax)
                else { return [] }
            } else {
                claims.noteIdle(for: lookInterval)
            }
        }
        return []
    }

    /// Waits, until the deadline, while claims of other tasks prevent this one.
    private func enterClaim(until deadline: ContinuousClock.Instant) async -> ClaimState.Entry {
        var entry = claims.enter()
        while entry == .wait, await poll(until: deadline) { entry = claims.enter() }
        return entry
    }

    /// Waits for the time between two tries; `false` when the deadline was over, or the task cancelled.
    private func poll(until deadline: ContinuousClock.Instant) async -> Bool {
        guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
        await EventLoopTimer.wait(for: min(configuration.pollInterval, deadline - .now))
        return true
    }

    /// The pause after a look that found nothing; it grows with the partitions, as does the cost of a look.
    var lookInterval: Duration {
        max(configuration.pollInterval, configuration.pollIntervalPerPartition * keyspace.partitions)
    }

    /// Waits for the next look; `false` when the deadline comes first, or the task is cancelled.
    ///
    /// All claims share the time of the last look.
    private func isTimeToLook(_ wait: Duration, until deadline: ContinuousClock.Instant) async -> Bool {
        guard wait > .zero, let look = claims.nextLook, look > .now else { return true }
        await EventLoopTimer.wait(until: min(look, deadline))
        return look <= deadline && !Task.isCancelled
    }

    /// Claims the lanes that are ready, with one call for each such partition, and takes the partitions in turn.
    private func claimNow(lanesMax: Int, capturesMax: Int) async throws(QueueError) -> [Lease] {
        let first = claims.nextPartition()
        let others = (1..<keyspace.partitions).map { (first + $0) % keyspace.partitions }
        // The first is called in any case: a server that answers but refuses writes counts as away.
        var found = try await claimNow(in: [first], lanesMax: lanesMax, capturesMax: capturesMax)
        if found.leases.count < lanesMax, !others.isEmpty {
            do throws(QueueError) {
                let filled = try await partitionsToClaim(among: others)
                let rest = lanesMax - found.leases.count
                let more = try await claimNow(in: filled, lanesMax: rest, capturesMax: capturesMax)
                found.leases += more.leases
                found.refusals += more.refusals
            } catch {
                // Claimed lanes are held and must be worked; a lasting fault shows at the next claim.
                guard !found.leases.isEmpty else { throw error }
            }
        }
        if let fault = found.fault(of: keyspace.partitions) { throw fault }
        return found.leases
    }

    private func claimNow(
        in partitions: [Int], lanesMax: Int, capturesMax: Int
    ) async throws(QueueError) -> PartitionClaims {
        try await gather(partitions, lanesMax: lanesMax) { (keys, lanesMax) async throws(QueueError) in
            let leases = try await claim(in: keys, tokens: [], lanesMax: lanesMax, capturesMax: capturesMax)
            if !leases.isEmpty { claims.noteServed(keys.number) }
            return leases
        }
    }

    /// Calls the function; if its answer is lost, the next claim looks for its tokens.
    ///
    /// A call that was refused may have been given tokens before it failed. They are looked for when the partition
    /// answers again: before that the search would be refused as well.
    func claim(
        in keys: PartitionKeys, tokens: [String], lanesMax: Int, capturesMax: Int
    ) async throws(QueueError) -> [Lease] {
        let sentAt = leases.now()
        let reply: RedisValue
        do {
            reply = try await call(
                .claim, in: keys,
                [.string(consumer), .integer(capturesMax), .integer(lanesMax)] + tokens.map { .string($0) }
            )
        } catch {
            if error.code == .refused {
                partitionRefusals.begin(in: keys.number, for: error)
            } else {
                claims.noteLoss(in: keys.number)
            }
            throw error
        }
        let parts = reply.array ?? []
        claims.isPaused = parts.first?.string == "paused"
        if claims.isPaused { return [] }
        guard parts.count >= 2, parts[0].string == "claimed", let now = parts[1].int else {
            throw .malformed(.claim)
        }
        if partitionRefusals.end(in: keys.number) { claims.noteLoss(in: keys.number) }
        let claimedAt = Timestamp(millisecondsSince1970: Int64(now))
        return keep(parts.dropFirst(2), in: keys, claimedAt: claimedAt, sentAt: sentAt)
    }

    /// Reads the leases of an answer and renews them from now on.
    /// - Parameter sentAt: When the claim was sent.
    func keep(
        _ lanes: some Sequence<RedisValue>, in keys: PartitionKeys, claimedAt: Timestamp,
        sentAt: ContinuousClock.Instant
    ) -> [Lease] {
        var kept: [Lease] = []
        for lane in lanes {
            let parts = lane.array ?? []
            guard parts.count >= 3, let token = parts[0].string, let deliveries = parts[2].int,
                let device = parts[1].string.flatMap({ DeviceID($0) })
            else {
                alarm(token: parts, keys)
                continue
            }
            let rows = parts.dropFirst(3).map { $0.array ?? [] }
            let jobs = rows.compactMap { job($0, of: device, claimedAt: claimedAt) }
            // The lane had only foreign entries so far, which were removed; its token is gone, or ready again.
            guard !jobs.isEmpty else { continue }
            kept.append(
                Lease(
                    token: LaneToken(text: token, partition: keys.number), device: device, deliveries: deliveries,
                    suspicion: rows.first.map { Self.fields($0).suspicion } ?? .clear, jobs: jobs))
        }
        // If all leases were given up during this claim, its lanes wait until their leases run out.
        return leases.hold(kept.map(\.token), sentAt: sentAt) ? kept : []
    }

    private func job(_ row: [RedisValue], of device: DeviceID, claimedAt: Timestamp) -> ClaimedJob? {
        guard let capture = row.first?.string.flatMap({ CaptureID($0) }) else {
            alarm(foreign: row, in: device)
            return nil
        }
        return Self.fields(row).job(capture, of: device, claimedAt: claimedAt)
    }

    /// The fields after the capture's id in a row of an answer.
    private static func fields(_ row: [RedisValue]) -> JobFields {
        JobFields(names: JobFields.claimed, values: row.dropFirst())
    }
}
