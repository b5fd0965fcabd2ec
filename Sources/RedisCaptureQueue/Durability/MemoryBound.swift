import CaptureModel

/// How much memory Redis may take: it holds the queue, the bytes of captures if Redis is their store, and what it
/// remembers of settled captures.
///
/// `noeviction` needs a bound. Without one the machine's memory fills up before the queue counts as full, and the
/// system kills Redis instead of Redis refusing an upload.
enum MemoryBound {
    static let setting = "maxmemory"

    /// What the known bundle of a settled capture takes.
    ///
    /// Measured with a million of them in Redis 7.0. A status takes 330 bytes, but most of the keys are known bundles.
    private static let endingKeyBytes = 240
    /// More than any server has.
    private static let endingKeysMax = 1 << 40

    /// The problem with the bound, if there is one.
    /// - Parameters:
    ///   - value: As `CONFIG GET` writes it; if the server hides its settings, the other rules report that.
    ///   - demand: What may wait in the queue, beside which Redis holds more than that.
    ///   - endingKeys: How many keys have an expiry at this moment: nearly all are of settled captures.
    static func problem(_ value: String?, demand: DurabilityDemand, endingKeys: Int) -> SettingProblem? {
        let ending = min(endingKeys, endingKeysMax) * endingKeyBytes
        let least = (demand.bundleStore == .redis ? demand.queueBytesMax : 0) + demand.queueFieldBytesMax + ending
        guard let bound = value.flatMap({ Int($0) }), bound <= least else { return nil }
        let fields = "capture.assertionBytesMax and capture.metadataBytesMax for each of queue.capturesMax"
        let waiting = demand.bundleStore == .redis ? "queue.bytesMax, and \(fields)" : fields
        let parts = ending > 0 ? "\(waiting), and \(ending) that settled captures take now" : waiting
        return SettingProblem(
            setting: "Redis's \(setting)", value: value,
            needed: "more than \(least) (\(parts)) and less than its machine has",
            consequence: bound == 0
                ? "noeviction never acts, and a Redis that outgrows its machine is ended by the system"
                : "Redis is full before the queue is, and refuses uploads that the queue has room for",
            gravity: .precaution)
    }
}
