/// A name that was asked for.
package struct NameQuestion: Sendable {
    /// The addresses that were found last; empty where there are none, or the answer is there.
    package let known: [String]
    private let patientUntil: ContinuousClock.Instant?
    private let withdrawal: @Sendable () -> Void

    /// One that is answered.
    init() {
        self.init(known: [], patientUntil: nil) {}
    }

    init(
        known: [String], patientUntil: ContinuousClock.Instant?, withdrawal: @escaping @Sendable () -> Void
    ) {
        self.known = known
        self.patientUntil = patientUntil
        self.withdrawal = withdrawal
    }

    /// Until when the answer is worth waiting for.
    ///
    /// Whoever knows an address keeps most of the time for connecting to it.
    /// - Parameter deadline: When the time for lookup and connection is over.
    package func waitEnd(
        by deadline: ContinuousClock.Instant, now: ContinuousClock.Instant = .now
    ) -> ContinuousClock.Instant {
        guard !known.isEmpty, let patientUntil else { return deadline }
        return min(patientUntil, now + now.duration(to: deadline) / 4)
    }

    /// Nobody waits for the answer any more; the lookup goes on, and what it finds is kept.
    package func withdraw() {
        withdrawal()
    }
}
