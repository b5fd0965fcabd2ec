import CaptureModel
import CaptureQueue
import RedisClient

extension QueueLoad {
    /// Reads the answer of `capture_load_v1` for one partition; `nil` when it is malformed.
    init?(reply: RedisValue) {
        let figures = reply.array?.compactMap(\.int) ?? []
        guard figures.count == 10 else { return nil }
        self.init(
            captures: figures[0], bytes: figures[1], deadLetters: figures[2], readyLanes: figures[3],
            delayedLanes: figures[4], leasedLanes: figures[5], capturesMax: figures[6], bytesMax: figures[7],
            isPaused: figures[8] == 1, oldestLaneAge: figures[9] < 0 ? nil : .milliseconds(figures[9]))
    }

    /// Adds the load of another partition; a sum that overflows stays at the limit.
    mutating func add(_ partition: QueueLoad) {
        captures = captures.addingClamped(partition.captures)
        bytes = bytes.addingClamped(partition.bytes)
        deadLetters = deadLetters.addingClamped(partition.deadLetters)
        readyLanes = readyLanes.addingClamped(partition.readyLanes)
        delayedLanes = delayedLanes.addingClamped(partition.delayedLanes)
        leasedLanes = leasedLanes.addingClamped(partition.leasedLanes)
        capturesMax = capturesMax.addingClamped(partition.capturesMax)
        bytesMax = bytesMax.addingClamped(partition.bytesMax)
        fill = max(fill, partition.fill)
        isPaused = isPaused || partition.isPaused
        oldestLaneAge = [oldestLaneAge, partition.oldestLaneAge].compactMap { $0 }.max()
    }
}
