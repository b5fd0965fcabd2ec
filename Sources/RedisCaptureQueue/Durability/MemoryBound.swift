import CaptureModel

/// How much memory Redis may take, where the bytes of captures are in it.
///
/// `noeviction` acts at the bound only. Without one nothing says that the queue is full before the machine is, and the
/// system ends Redis instead of Redis refusing an upload.
enum MemoryBound {
    static let setting = "maxmemory"

    /// What is wrong with the bound.
    /// - Parameters:
    ///   - value: As `CONFIG GET` writes it; a server that tells nothing is told of by its other settings.
    ///   - queueBytesMax: The bytes that may wait in the queue, beside which Redis holds more than them.
    static func problem(_ value: String?, queueBytesMax: Int) -> DurabilityProblem? {
        guard let bound = value.flatMap({ Int($0) }), bound <= queueBytesMax else { return nil }
        return DurabilityProblem(
            setting: "Redis's \(setting)", value: value,
            needed: "more than \(queueBytesMax) (queue.bytesMax) and less than its machine has",
            consequence: bound == 0
                ? "noeviction never acts, and a Redis that outgrows its machine is ended by the system"
                : "Redis is full before the queue is, and refuses uploads that queue.bytesMax has room for",
            gravity: .precaution)
    }
}
