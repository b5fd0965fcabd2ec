import CaptureModel

/// How much memory Redis may take, where the bytes of captures are in it.
///
/// `noeviction` acts at the bound only. Without one nothing says that the queue is full before the machine is, and the
/// system ends Redis instead of Redis refusing an upload.
enum MemoryBound {
    static let setting = "maxmemory"

    /// What is wrong with the bound.
    /// - Parameter value: As `CONFIG GET` writes it; a server that tells nothing is told of by its other settings.
    static func problem(_ value: String?) -> DurabilityProblem? {
        guard value == "0" else { return nil }
        return DurabilityProblem(
            setting: "Redis's \(setting)", value: value,
            needed: "more than queue.bytesMax and less than its machine has",
            consequence: "noeviction never acts, and a Redis that outgrows its machine is ended by the system",
            gravity: .precaution)
    }
}
