import Synchronization

/// Closed until the ``StartupCheck`` has passed: programs listen before, and take no capture before.
public final class StartupGate: Sendable {
    private struct State {
        var isOpen = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Makes a closed one.
    public init() {}

    /// Whether the check has passed.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Notes that it has, and lets through whoever waits.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once it is open.
    /// - Throws: `CancellationError` when the task is cancelled before.
    func pass() async throws {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Cancelled before it could be noted: the handler below has run already.
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
        if !isOpen { throw CancellationError() }
    }
}
