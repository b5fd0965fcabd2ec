import CaptureModel
import Logging
import RedisClient

/// Alarms about entries that the functions removed or put off, after keys were changed by hand.
extension RedisCaptureQueue {
    /// Logs a token without a lane, or a lane that cannot be worked.
    func alarm(token parts: [RedisValue], _ keys: PartitionKeys) {
        guard parts.count >= 5, let device = parts[3].shown(), let fault = parts[4].shown() else {
            logger.critical(
                "a token stands for no lane: its entry is gone or is not the queue's",
                metadata: ["partition": "\(keys.number)", "token": "\(parts.first?.string ?? "none")"])
            return
        }
        let isStray = fault.hasPrefix(QueueFault.laneEntryOfOtherPartition.rawValue)
        logger.critical(
            isStray
                ? "a lane has a capture of another partition at its head and is put off for a minute"
                : "a lane cannot be worked and is put off for a minute: its key is damaged",
            metadata: ["partition": "\(keys.number)", "device_id": "\(device)", "fault": "\(fault)"])
    }

    /// Logs an entry of a lane that is no capture id.
    func alarm(foreign row: [RedisValue], in device: DeviceID) {
        logger.critical(
            "a lane held something that is not a capture's id, and it was removed",
            metadata: ["device_id": "\(device)", "entry": "\(row.dropFirst().first?.shown() ?? "")"])
    }
}
