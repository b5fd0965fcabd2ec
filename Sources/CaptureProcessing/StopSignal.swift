import Synchronization

/// Tells the duties of a worker to stop, once, and wakes those that sleep.
final class StopSignal: Sendable {
    private struct State {
        var signalledAt: ContinuousClock.Instant?
        var next = 0
        var sleepers: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Whether the duties are to stop.
    var isSignalled: Bool { signalledAt != nil }

    /// Since when they are to stop.
    var signalledAt: ContinuousClock.Instant? { state.withLock { $0.signalledAt } }

    /// Tells the duties to stop.
    ///
    /// Signalling again does nothing.
    func signal() {
        let sleepers = state.withLock { state in
            if state.signalledAt == nil { state.signalledAt = .now }
            defer { state.sleepers = [:] }
            return Array(state.sleepers.values)
        }
        for sleeper in sleepers { sleeper.resume() }
    }

    /// Sleeps, but not past the signal.
    func sleep(for duration: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(for: duration) }
            group.addTask { await self.signalled() }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns at the signal, or when the task is cancelled.
    private func signalled() async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Cancelled before it could be noted: the handler below has run already.
                    if state.signalledAt != nil || Task.isCancelled { return true }
                    state.sleepers[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.resume()
        }
    }
}
