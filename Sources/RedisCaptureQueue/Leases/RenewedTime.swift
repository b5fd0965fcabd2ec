/// A clock for the age of leases that stands still while renewals fail.
///
/// So leases that wait during an outage do not count as leaked, however long it lasts.
struct RenewedTime {
    private var passed = Duration.zero
    /// When it began to run; `nil` while it stands still.
    private var since: ContinuousClock.Instant?

    /// Starts it.
    init(from now: ContinuousClock.Instant) {
        since = now
    }

    /// For tests: whether it runs at this moment.
    var isPassing: Bool { since != nil }

    /// The time that it shows.
    func reading(at now: ContinuousClock.Instant) -> Duration {
        passed + (since.map { now - $0 } ?? .zero)
    }

    /// Notes whether a renewal succeeded.
    mutating func note(isRenewed: Bool, at now: ContinuousClock.Instant) {
        passed = reading(at: now)
        since = isRenewed ? now : nil
    }
}
