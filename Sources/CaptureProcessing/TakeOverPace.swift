import Synchronization

/// When a worker may take lanes over, and for how long at a time.
///
/// While Redis was away every lease has run out, and yet the workers are there: back, they renew and give back first. A
/// worker that was started meanwhile knows of no outage. So each waits from the queue's first answer on.
final class TakeOverPace: Sendable {
    private struct State {
        /// Since when the queue has answered this worker.
        var answeredSince: ContinuousClock.Instant?
        /// Whether there are more lanes to take, and others have their turn.
        var isBetweenTurns = false
    }

    /// Twice as long as the others take: they try again every 250 ms, and connect within 500 ms.
    static let patience = Duration.seconds(2)

    /// How long everybody else's captures are kept waiting at a time by those of lost workers.
    static let turn = Duration.milliseconds(100)

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Begins before the first answer.
    /// - Parameter now: The time.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// The queue has answered.
    func noteAnswer() {
        state.withLock { $0.answeredSince = $0.answeredSince ?? now() }
    }

    /// Whether the queue has answered for so long that what has lapsed is nobody's.
    var isOpen: Bool {
        state.withLock { state in state.answeredSince.map { now() - $0 >= Self.patience } ?? false }
    }

    /// Whether lanes are taken over again as soon as the rounds have ended that have their turn now: what they claim is
    /// what is there already.
    var isBetweenTurns: Bool {
        get { state.withLock { $0.isBetweenTurns } }
        set { state.withLock { $0.isBetweenTurns = newValue } }
    }
}
