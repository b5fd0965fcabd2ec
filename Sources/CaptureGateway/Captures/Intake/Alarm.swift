import Deadline
import Synchronization

/// Wakes one waiter early; a ring that nobody waits for wakes the next one at once.
final class Alarm: Sendable {
    private enum State {
        case idle
        case rung
        case waiting(AsyncStream<Void>.Continuation)
    }

    private let state = Mutex(State.idle)

    /// Ends the wait.
    func ring() {
        state.withLock { state in
            if case .waiting(let waiter) = state { waiter.finish() }
            state = .rung
        }
    }

    /// Returns after the time, or as soon as it rings or has rung since the last wait.
    func wait(atMost limit: Duration) async {
        let (rings, waiter) = AsyncStream<Void>.makeStream()
        state.withLock { state in
            if case .rung = state { waiter.finish() } else { state = .waiting(waiter) }
        }
        _ = try? await Deadline.result(until: .now + limit) { for await _ in rings {} }
        state.withLock { $0 = .idle }
    }
}
