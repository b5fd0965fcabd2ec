import CaptureModel

/// How far a replica may be behind before the primary cuts it off.
///
/// Bundles are large: with Redis's own limits (256 MB at once, or 64 MB for a minute) a burst of uploads cuts the
/// replica off. Then it has to copy everything anew, and until that is done no replica has the primary's data.
enum ReplicaBuffer {
    static let setting = "client-output-buffer-limit"

    /// The problem with the limits, if bundles are replicated.
    ///
    /// If durability does not depend on the replicas, they are a precaution against the loss of the primary.
    /// - Parameters:
    ///   - value: As `CONFIG GET` writes it: class, hard limit, soft limit and seconds, for each class of clients.
    ///   - demand: The level of durability, and how much one gateway may hand over at once.
    static func problem(_ value: String?, demand: DurabilityDemand) -> SettingProblem? {
        let limits = value.flatMap(limits), uploads = demand.uploadBytesInFlightMax
        // If the server hides its settings, the other rules report that.
        if limits == nil, demand.level != .replicated { return nil }
        // 0 is no limit. Two gateways at full load, or one whose clients retry, must fit.
        let hardLeast = 2 * uploads
        if let limits, limits.hard == 0 || limits.hard >= hardLeast, limits.soft == 0 || limits.soft >= uploads {
            return nil
        }
        return SettingProblem(
            setting: "Redis's \(setting) replica", value: limits.map { "\($0.hard) \($0.soft)" },
            needed: "\(hardLeast) \(uploads) or more (by gateway.uploadBytesInFlightMax), or 0 0",
            consequence: "a burst of uploads cuts the replicas off",
            gravity: demand.level == .replicated ? .loss : .precaution)
    }

    /// The limits of the class of replicas, which Redis still names `slave`.
    private static func limits(in value: String) -> (hard: Int, soft: Int)? {
        let words = value.split(separator: " ").map(String.init)
        guard let index = words.firstIndex(where: { $0 == "slave" || $0 == "replica" }), index + 2 < words.count,
            let hard = Int(words[index + 1]), let soft = Int(words[index + 2])
        else { return nil }
        return (hard, soft)
    }
}
