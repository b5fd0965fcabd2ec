import Synchronization
import Waiting

/// Wakes one waiter early; a signal that nobody waits for wakes the next one at once.
final class WakeSignal: Sendable {
    private enum State {
        case idle
        case sent
        case waiting(AsyncStream<Void>.Continuation)
    }

    private let state = Mutex(State.idle)

    /// Whether somebody waits, for tests.
    var isAwaited: Bool { state.withLock { if case .waiting = $0 { true } else { false } } }

    /// Ends the wait.
    func send() {
        state.withLock { state in
            if case .waiting(let waiter) = state { waiter.finish() }
            state = .sent
        }
    }

    /// Returns after the time, or as soon as a signal comes or has come since the last wait.
    func wait(atMost limit: Duration) async {
        let (signals, waiter) = AsyncStream<Void>.makeStream()
        state.withLock { state in
            if case .sent = state { waiter.finish() } else { state = .waiting(waiter) }
        }
        _ = try? await Deadline.result(until: .now + limit) { for await _ in signals {} }
        state.withLock { $0 = .idle }
    }
}
