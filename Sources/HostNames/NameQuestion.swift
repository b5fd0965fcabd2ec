/// A question for the addresses of a name.
package struct NameQuestion: Sendable {
    /// The last known addresses; empty if there are none, or if the question is already answered.
    package let known: [String]
    private let patientUntil: ContinuousClock.Instant?
    private let withdrawal: @Sendable () -> Void

    /// A question that is already answered.
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
    /// If an address is already known, most of the time is kept for connecting to it.
    /// - Parameter deadline: When the time for lookup and connection is over.
    package func waitEnd(
        by deadline: ContinuousClock.Instant, now: ContinuousClock.Instant = .now
    ) -> ContinuousClock.Instant {
        guard !known.isEmpty, let patientUntil else { return deadline }
        return min(patientUntil, now + now.duration(to: deadline) / 4)
    }

    /// Stops waiting for the answer; the lookup goes on, and its result is kept.
    package func withdraw() {
        withdrawal()
    }
}
