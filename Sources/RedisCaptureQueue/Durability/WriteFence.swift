import CaptureModel

/// Checks that a primary which has lost its replicas stops taking writes, if there is a ledger.
///
/// A replica may have become the primary without the old primary's knowledge. A capture that the old one still accepts
/// is answered with 202 and is missing from the new one; this is not noticed before `intake.grace` is over, so later
/// captures of the device overtake it.
enum WriteFence {
    static let settings = [replicas, lag]

    private static let replicas = "min-replicas-to-write"
    private static let lag = "min-replicas-max-lag"

    /// The longest lag allowed, in seconds; Redis's own default.
    ///
    /// A primary notices a lost replica after this many seconds at the latest.
    private static let lagMax = 10

    /// The problem with the two settings, on a primary that has replicas.
    /// - Parameter settings: As `CONFIG GET` returns them; if the server hides them, the other rules report that.
    static func problem(_ settings: [String: String]) -> SettingProblem? {
        guard let least = settings[replicas].flatMap({ Int($0) }), let seconds = settings[lag].flatMap({ Int($0) }),
            least < 1 || !(1...lagMax).contains(seconds)
        else { return nil }
        return SettingProblem(
            setting: "Redis's \(replicas) with \(lag)", value: "\(least) with \(seconds)",
            needed: "1 or more with 1 to \(lagMax) (seconds)",
            consequence: """
                after a failover a primary that was not told goes on taking captures, which later ones overtake \
                (COUNTER_STALE)
                """,
            gravity: .precaution)
    }
}
