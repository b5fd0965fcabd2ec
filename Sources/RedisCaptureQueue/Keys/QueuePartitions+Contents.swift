import CaptureModel
package import CaptureQueue
package import RedisClient

/// Whether what is in a queue lies where it belongs by a number of partitions.
///
/// A worker looks for a capture's bytes in the partition of its device: a waiting capture that lies in another one ends
/// as a dead letter (`BUNDLE_MISSING`), and later captures of its device are settled before it (`COUNTER_STALE`).
extension QueuePartitions {
    /// Refuses to begin with a number while none is kept and the queue is laid out by another one.
    ///
    /// A number that is kept is not questioned, which costs one command. An empty queue takes any, and so does one
    /// whose captures lie where they belong, as where only the kept number was lost.
    /// - Throws: `refused` for a queue that is laid out otherwise; waiting does not mend that.
    package static func requireLayout(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        guard try await field.read(keyspace, on: client) == nil else { return }
        if let objection = try await objectionToLayout(keyspace, on: client) { throw QueueError(.refused, objection) }
    }

    /// Refuses to begin with a number while none is kept and a pause is not that of all its partitions and no others.
    ///
    /// The pause would stop some devices' captures only, or stay in partitions that come back with a later number.
    /// - Throws: `refused` for such a pause; waiting does not mend that.
    package static func requirePause(_ keyspace: Keyspace, on client: RedisClient) async throws(QueueError) {
        guard try await field.read(keyspace, on: client) == nil else { return }
        let paused = try await partitions(of: keyspace, with: { [$0.paused] }, on: client)
        guard let first = paused.first, paused != keyspace.all else { return }
        throw QueueError(
            .refused,
            "queue.partitions is \(keyspace.partitions), and \(first.tag) is paused, but not just all of these partitions: "
                + "capturectl resume with the number that the queue \(keyspace.queue) had; RUNBOOKS.md, \"Partitions\"")
    }

    /// Why the waiting captures and dead letters of a queue do not lie as in a keyspace; `nil` when they do.
    ///
    /// It goes through the lanes and dead letters, in pages. Captures that come meanwhile may be missed.
    package static func objectionToLayout(
        _ keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) -> String? {
        let filled = try await partitions(of: keyspace, with: { [$0.heads, $0.dead] }, on: client)
        for keys in filled {
            guard try await holdsOthers(keys, of: keyspace, on: client) else { continue }
            return "queue.partitions is \(keyspace.partitions), and \(keys.tag) has lanes or dead letters that belong "
                + "elsewhere by that: empty the queue \(keyspace.queue) with the number that it had; "
                + "RUNBOOKS.md, \"Partitions\""
        }
        return nil
    }

    /// The partitions in which one of some keys is, of all that there may be: there may have been more than now.
    private static func partitions(
        of keyspace: Keyspace, with keys: (PartitionKeys) -> [String], on client: RedisClient
    ) async throws(QueueError) -> [PartitionKeys] {
        var found: [PartitionKeys] = []
        let all = (0..<Keyspace.partitionsRange.upperBound).map { keyspace[$0] }
        for page in all.pages(of: RedisCaptureQueue.commandsMax) {
            // The keys of a partition are in one slot of a cluster.
            let looks = page.map { RedisCommand("EXISTS", keys($0).map { .string($0) }) }
            let replies = try await client.replies(to: looks).withoutErrors()
            found += zip(page, replies).filter { $1.int != 0 }.map(\.0)
        }
        return found
    }

    /// Whether a partition has lanes or dead letters of devices that do not belong to it.
    private static func holdsOthers(
        _ keys: PartitionKeys, of keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) -> Bool {
        guard keys.number < keyspace.partitions else { return true }
        // There is no other one.
        guard keyspace.partitions > 1 else { return false }
        for key in [keys.heads, keys.dead] {
            var hasOthers = false
            do throws(QueueError) {
                try await client.scan("ZSCAN", [.string(key)], ["COUNT", 1000]) { (items) async throws(QueueError) in
                    // Members and scores alternate.
                    let members = items.pairs.map { $0.name }
                    var devices = members.compactMap { DeviceID($0) }
                    if key == keys.dead { devices = try await self.devices(of: members, keys, on: client) }
                    hasOthers = devices.contains { keyspace.partition(of: $0).number != keys.number }
                } until: {
                    hasOthers
                }
            } catch  where error.message.hasPrefix("WRONGTYPE") {
                // Somebody has written the key by hand.
            }
            if hasOthers { return true }
        }
        return false
    }

    /// The devices of dead letters; those whose jobs do not tell are left out.
    private static func devices(
        of letters: [String], _ keys: PartitionKeys, on client: RedisClient
    ) async throws(QueueError) -> [DeviceID] {
        var devices: [DeviceID] = []
        for page in letters.compactMap({ CaptureID($0) }).pages(of: RedisCaptureQueue.commandsMax) {
            let looks = page.map { RedisCommand("HGET", [.string(keys.job($0)), "device"]) }
            let replies = try await client.replies(to: looks).filter { $0.error?.prefix != "WRONGTYPE" }.withoutErrors()
            devices += replies.compactMap { reply in reply.string.flatMap { DeviceID($0) } }
        }
        return devices
    }
}
