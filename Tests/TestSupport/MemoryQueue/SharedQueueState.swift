import Synchronization
import Waiting

/// The state behind its lock, and those who wait for it to change.
final class SharedQueueState: Sendable {
    private struct Guarded {
        var state: MemoryQueueState
        var waiters: [AsyncStream<Void>.Continuation] = []
    }

    private let guarded: Mutex<Guarded>

    init(_ state: MemoryQueueState) {
        guarded = Mutex(Guarded(state: state))
    }

    /// Looks at the state.
    func read<Value>(_ body: (borrowing MemoryQueueState) -> Value) -> Value {
        guarded.withLock { body($0.state) }
    }

    /// Changes the state, and wakes those who wait for that.
    func change<Value>(_ body: (inout MemoryQueueState) -> Value) -> Value {
        let (value, waiters) = guarded.withLock { guarded in
            let value = body(&guarded.state)
            let waiters = guarded.waiters
            guarded.waiters = []
            return (value, waiters)
        }
        for waiter in waiters { waiter.finish() }
        return value
    }

    /// Returns when `condition` holds or the time is over.
    func waitForChange(atMost limit: Duration, until condition: @escaping @Sendable (MemoryQueueState) -> Bool) async {
        // How long a caller waits is real time, whatever the queue's clock says. One that is cancelled has waited enough.
        _ = try? await Deadline.result(until: .now + limit) {
            while !Task.isCancelled {
                let (changes, waiter) = AsyncStream<Void>.makeStream()
                let isMet = self.guarded.withLock { guarded in
                    guarded.waiters.append(waiter)
                    return condition(guarded.state)
                }
                if isMet { return }
                for await _ in changes {}
            }
        }
    }
}
