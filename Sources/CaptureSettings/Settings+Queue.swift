import CaptureInspection
import CaptureModel
package import RedisCaptureQueue

extension Settings {
    /// The names of the queue's keys.
    package var keyspace: Keyspace {
        value(.queuePartitions) { text in Int(text).flatMap { Keyspace(partitions: $0) } }
    }

    /// Limits and times of the queue.
    package var queueConfiguration: RedisQueueConfiguration {
        var configuration = RedisQueueConfiguration()
        configuration.capturesMax = integer(.queueCapturesMax)
        configuration.bytesMax = bytes(.queueBytesMax)
        configuration.capturesPerDeviceMax =
            text(.queueCapturesPerDeviceMax) == nil
            ? deviceShare(of: configuration.capturesMax, ordinarily: 5) : integer(.queueCapturesPerDeviceMax)
        configuration.bytesPerDeviceMax =
            text(.queueBytesPerDeviceMax) == nil
            ? deviceShare(of: configuration.bytesMax, ordinarily: 10) : bytes(.queueBytesPerDeviceMax)
        configuration.photoBytesMax = bytes(.photoBytesMax)
        configuration.depthBytesMax = bytes(.depthBytesMax)
        configuration.leaseDuration = duration(.queueLease)
        configuration.leaseAgeMax = max(configuration.leaseAgeMax, duration(.workerOutageHold) * 4)
        configuration.deliveriesMax = integer(.queueDeliveriesMax)
        configuration.statusRetention = duration(.queueStatusRetention)
        configuration.acceptedRetention = duration(.queueAcceptedRetention)
        configuration.hasLedger = durability == .ledger
        configuration.markLifetime = max(configuration.markLifetime, duration(.intakeInterval) * 3)
        return configuration
    }

    /// One device's share of a limit of the queue, at most half of its partition's.
    private func deviceShare(of limit: Int, ordinarily divisor: Int) -> Int {
        max(1, min(limit / divisor, limit / integer(.queuePartitions) / 2))
    }

    // MARK: What is refused

    /// Requires a number of partitions that keys can be shared out to.
    func requirePartitions() throws(SettingsError) {
        guard Keyspace(partitions: integer(.queuePartitions)) != nil else {
            let setting = Setting.queuePartitions
            throw refusal(of: setting, "takes a power of two, \(setting.range)")
        }
    }

    /// Requires that every partition has room for the largest bundle, which it would otherwise always refuse.
    func requireRoomInQueue() throws(SettingsError) {
        let bytesMin = integer(.queuePartitions) * inspectionLimits.bundleBytesMax
        guard bytes(.queueBytesMax) >= bytesMin else {
            throw SettingsError(
                "\(Setting.queueBytesMax.key): takes at least \(bytesMin): capture.photoBytesMax and "
                    + "capture.depthBytesMax together, for each of \(Setting.queuePartitions.key)")
        }
    }

    /// Requires room for the largest bundle when Redis holds the bytes: each is one command and one answer.
    func requireRoomForBundles() throws(SettingsError) {
        guard bundleStore == .redis else { return }
        // The two sizes, plus the commands and the framing.
        let bundle = inspectionLimits.bundleBytesMax + 4096
        for setting in [Setting.redisBacklogBytesMax, .redisReplyBytesMax] where bytes(setting) < bundle {
            throw SettingsError(
                "\(setting.key): takes at least \(bundle): capture.photoBytesMax and capture.depthBytesMax together")
        }
    }
}
