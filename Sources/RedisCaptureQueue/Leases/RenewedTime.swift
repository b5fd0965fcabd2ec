/// How long leases have been renewed: time that stands still while renewals fail.
///
/// By it their age is told. However long a server is away, nobody has forgotten what waits for it.
struct RenewedTime {
    private var passed = Duration.zero
    /// Since when it passes; `nil` while it stands still.
    private var since: ContinuousClock.Instant?

    /// Starts it.
    init(from now: ContinuousClock.Instant) {
        since = now
    }

    /// For tests: whether it passes at this moment.
    var isPassing: Bool { since != nil }

    /// What it shows.
    func reading(at now: ContinuousClock.Instant) -> Duration {
        passed + (since.map { now - $0 } ?? .zero)
    }

    /// A renewal went through, or did not.
    mutating func note(isRenewed: Bool, at now: ContinuousClock.Instant) {
        passed = reading(at: now)
        since = isRenewed ? now : nil
    }
}
