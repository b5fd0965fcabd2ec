import CaptureModel

/// Whether a primary that its replicas have left stops taking writes, where there is a ledger.
///
/// A replica may have been made the primary without its knowledge. What it still takes is answered with 202, and nobody
/// sees that the new one lacks it before `intake.grace` is over: later captures of the device overtake it.
enum WriteFence {
    static let settings = [replicas, lag]

    private static let replicas = "min-replicas-to-write"
    private static let lag = "min-replicas-max-lag"

    /// Redis's own default.
    ///
    /// A cut that nobody is told of is noticed after so long only.
    private static let lagMax = 10

    /// What is wrong with the two settings, on a primary that has replicas.
    /// - Parameter settings: As `CONFIG GET` tells them; a server that tells nothing is told of by its other settings.
    static func problem(_ settings: [String: String]) -> DurabilityProblem? {
        guard let least = settings[replicas].flatMap({ Int($0) }), let seconds = settings[lag].flatMap({ Int($0) }),
            least < 1 || !(1...lagMax).contains(seconds)
        else { return nil }
        return DurabilityProblem(
            setting: "Redis's \(replicas) with \(lag)", value: "\(least) with \(seconds)",
            needed: "1 or more with 1 to \(lagMax) (seconds)",
            consequence: """
                after a failover a primary that was not told goes on taking captures, which later ones overtake \
                (COUNTER_STALE)
                """,
            gravity: .precaution)
    }
}
