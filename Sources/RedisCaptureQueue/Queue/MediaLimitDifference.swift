import CaptureModel
package import CaptureQueue
package import RedisClient

/// A size of photos or depth maps up to which a program takes them, where the queue has another one.
///
/// The queue has the limits of the gateway that was started last: where it takes less than another gateway, that one's
/// larger uploads are refused, and where it takes more than a worker, the larger captures become dead letters there.
package struct MediaLimitDifference: Sendable, Equatable {
    /// The name of the setting.
    package let setting: String
    /// What the program is set to, in bytes.
    package let own: Int
    /// What the queue has, in bytes.
    package let kept: Int

    /// Compares a program's limits with those that the queue has, where it has some.
    ///
    /// Limits that are missing or damaged are not told of: gateways set them again.
    /// - Returns: The differences, each once, whatever number of partitions have it.
    package static func find(
        from configuration: RedisQueueConfiguration, in keyspace: Keyspace, on client: RedisClient
    ) async throws(QueueError) -> [MediaLimitDifference] {
        let settings = [
            ("capture.photoBytesMax", configuration.photoBytesMax),
            ("capture.depthBytesMax", configuration.depthBytesMax),
        ]
        let looks = keyspace.all.map {
            RedisCommand("HMGET", [.string($0.limits), "photo_bytes_max", "depth_bytes_max"])
        }
        var differences: [MediaLimitDifference] = []
        for page in looks.pages(of: RedisCaptureQueue.commandsMax) {
            for reply in try await client.replies(to: page) {
                guard let values = reply.array, values.count == settings.count else { continue }
                for ((setting, own), value) in zip(settings, values) {
                    guard let kept = value.string.flatMap({ Int($0) }), kept != own else { continue }
                    let difference = MediaLimitDifference(setting: setting, own: own, kept: kept)
                    if !differences.contains(difference) { differences.append(difference) }
                }
            }
        }
        return differences
    }
}
