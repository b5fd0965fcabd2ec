import Synchronization

/// Decides when a worker may take lanes over, and for how long at a time.
///
/// During an outage of Redis every lease runs out although the workers are alive: after it, they renew and give back
/// first. A worker started during the outage does not know of it. So each worker waits after the queue's first answer.
final class TakeOverPace: Sendable {
    private struct State {
        /// When the queue first answered this worker.
        var answeredSince: ContinuousClock.Instant?
        /// Whether there are more lanes to take, and waiting rounds have their turn.
        var isBetweenTurns = false
    }

    /// Twice as long as other workers need to come back: they try again every 250 ms, and connect within 500 ms.
    static let patience = Duration.seconds(2)

    /// How long at a time the captures of lost workers keep all others waiting.
    static let turn = Duration.milliseconds(100)

    private let state = Mutex(State())
    /// The clock that ``patience`` and ``turn`` are measured by.
    let now: @Sendable () -> ContinuousClock.Instant

    /// Begins before the first answer.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// The queue has answered.
    func noteAnswer() {
        state.withLock { $0.answeredSince = $0.answeredSince ?? now() }
    }

    /// Whether the queue has answered for long enough that a lapsed lane has no worker any more.
    var isOpen: Bool {
        state.withLock { state in state.answeredSince.map { now() - $0 >= Self.patience } ?? false }
    }

    /// Whether taking over goes on as soon as the rounds that have their turn now have ended: their claims do not wait
    /// for new captures.
    var isBetweenTurns: Bool {
        get { state.withLock { $0.isBetweenTurns } }
        set { state.withLock { $0.isBetweenTurns = newValue } }
    }
}
