import CaptureQueue

extension DoctorCheck {
    /// Makes a check; where a key that it reads is of another type, its line says that it was not made.
    static func unlessDamaged(
        _ name: String, _ look: () async throws -> [DoctorCheck]
    ) async throws -> [DoctorCheck] {
        do {
            return try await look()
        } catch let error as QueueError where error.isOfDamagedKey {
            return [.notLookedAt(name, DoctorReport.damaged)]
        }
    }

    /// The line of a check that rests on the queue's limits, whose key is of another type.
    static func damagedLimits(_ name: String, _ key: String) -> DoctorCheck {
        .problem(
            name, "\(key) is of another type",
            "somebody has written it by hand: the number of partitions and the installation cannot be read",
            repair: "rename the key, and the running programs write it anew; --fix repairs nothing before")
    }
}
