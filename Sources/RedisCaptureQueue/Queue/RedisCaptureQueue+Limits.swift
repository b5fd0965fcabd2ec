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

    /// Sets the limits of one partition again if one of them is missing or damaged; they do not depend on the other
    /// partitions' content.
    ///
    /// A server whose memory is full takes no limits, and need not: it has lost nothing.
    func keepLimits(of partition: Int) async throws(QueueError) {
        try await QueuePartitions.field.require(keyspace.partitions, in: keyspace, on: functions.client)
        let keys = keyspace[partition]
        guard try await !send([limitsLook(keys)]).allSatisfy(Self.areLimits) else { return }
        _ = try await send([limitsCommand(keys)])
    }

    /// Reads the limits of a partition that refuse uploads.
    private func limitsLook(_ keys: PartitionKeys) -> RedisCommand {
        RedisCommand(
            "HMGET",
            [
                .string(keys.limits), "photo_bytes_max", "depth_bytes_max", "device_bytes_max", "device_captures_max",
                "bytes_max", "captures_max", "partitions",
            ])
    }

    /// Whether each limit is set, and none is damaged: the functions take whole numbers from 1.
    private static func areLimits(_ look: RedisValue) -> Bool {
        look.array?.allSatisfy { value in
            guard let text = value.string, let number = Int(text) else { return false }
            return (1...LuaInteger.exactMax).contains(number) && "\(number)" == text
        } ?? false
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

    /// Sets the limits again if one of them is missing, as after a loss of data, or damaged; returns whether they were
    /// set.
    /// - Throws: As ``applyLimits()``.
    package func keepLimits() async throws(QueueError) -> Bool {
        let found = try await send(keyspace.all.map(limitsLook))
        guard !found.allSatisfy(Self.areLimits) else { return false }
        try await applyLimits()
        return true
    }
}
