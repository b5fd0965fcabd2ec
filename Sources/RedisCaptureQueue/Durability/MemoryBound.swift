import CaptureModel

/// How much memory Redis may take: it holds the queue, and the bytes of captures if Redis is their store.
///
/// `noeviction` needs a bound. Without one the machine's memory fills up before the queue counts as full, and the
/// system kills Redis instead of Redis refusing an upload.
enum MemoryBound {
    static let setting = "maxmemory"

    /// The problem with the bound, if there is one.
    /// - Parameters:
    ///   - value: As `CONFIG GET` writes it; if the server hides its settings, the other rules report that.
    ///   - demand: What may wait in the queue, beside which Redis holds more than that.
    static func problem(_ value: String?, demand: DurabilityDemand) -> SettingProblem? {
        let least = (demand.bundleStore == .redis ? demand.queueBytesMax : 0) + demand.queueFieldBytesMax
        guard let bound = value.flatMap({ Int($0) }), bound <= least else { return nil }
        let fields = "capture.assertionBytesMax and capture.metadataBytesMax for each of queue.capturesMax"
        let parts = demand.bundleStore == .redis ? "queue.bytesMax, and \(fields)" : fields
        return SettingProblem(
            setting: "Redis's \(setting)", value: value,
            needed: "more than \(least) (\(parts)) and less than its machine has",
            consequence: bound == 0
                ? "noeviction never acts, and a Redis that outgrows its machine is ended by the system"
                : "Redis is full before the queue is, and refuses uploads that the queue has room for",
            gravity: .precaution)
    }
}
