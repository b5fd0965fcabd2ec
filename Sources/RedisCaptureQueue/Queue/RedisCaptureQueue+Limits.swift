package import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// Sets the limits by which the functions refuse captures, for gateways in other languages as well.
    ///
    /// Each partition gets its share; the limits of a device are not divided, as it is in one partition only.
    /// - Throws: `refused` when the queue is laid out in another number of partitions; nothing was set then.
    package func applyLimits() async throws(QueueError) {
        try await QueuePartitions.require(keyspace, on: functions.client)
        _ = try await send(keyspace.all.map(limitsCommand))
    }

    /// Sets the limits of one partition again if it has lost them; they do not depend on the other partitions' content.
    ///
    /// A server whose memory is full takes no limits, and need not: it has lost nothing.
    func keepLimits(of partition: Int) async throws(QueueError) {
        try await QueuePartitions.requireSame(keyspace, on: functions.client)
        let keys = keyspace[partition]
        guard try await send([newestLimit(keys)]).first?.int == 0 else { return }
        _ = try await send([limitsCommand(keys)])
    }

    /// Whether a partition has the newest limit: a gateway of an earlier release sets the others only.
    private func newestLimit(_ keys: PartitionKeys) -> RedisCommand {
        RedisCommand("HEXISTS", [.string(keys.limits), "photo_bytes_max"])
    }

    private func limitsCommand(_ keys: PartitionKeys) -> RedisCommand {
        let partitions = keyspace.partitions
        return RedisCommand(
            "HSET",
            [
                .string(keys.limits),
                "captures_max", .integer(max(1, configuration.capturesMax / partitions)),
                "bytes_max", .integer(max(1, configuration.bytesMax / partitions)),
                "device_captures_max", .integer(max(1, configuration.capturesPerDeviceMax)),
                "device_bytes_max", .integer(max(1, configuration.bytesPerDeviceMax)),
                "photo_bytes_max", .integer(max(1, configuration.photoBytesMax)),
                "depth_bytes_max", .integer(max(1, configuration.depthBytesMax)),
                "accepted_ttl_ms", .integer(configuration.acceptedRetention.milliseconds),
                // In each partition, so that enqueuing can detect a device of another one.
                "partitions", .integer(partitions),
            ]
        )
    }

    /// Sets the limits again if the server has lost its data and with it the limits; returns whether it had lost them.
    /// - Throws: As ``applyLimits()``.
    package func keepLimits() async throws(QueueError) -> Bool {
        let found = try await send(keyspace.all.map(newestLimit))
        guard found.contains(where: { $0.int == 0 }) else { return false }
        try await applyLimits()
        return true
    }
}
