import Synchronization

/// Opens once and stays open; tasks can wait until it is open.
package final class Latch: Sendable {
    private struct State {
        var openedAt: ContinuousClock.Instant?
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Makes a closed latch.
    package init() {}

    /// When it was opened; `nil` while it is closed.
    package var openedAt: ContinuousClock.Instant? { state.withLock { $0.openedAt } }

    /// Whether it is open.
    package var isOpen: Bool { openedAt != nil }

    /// Opens it and resumes all waiting tasks.
    ///
    /// Opening again does nothing.
    package func open() {
        let waiting = state.withLock { state in
            if state.openedAt == nil { state.openedAt = .now }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once it is open.
    /// - Throws: `CancellationError` when the task is cancelled before.
    package func waitUntilOpen() async throws(CancellationError) {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Cancelled before it was noted: the handler below has already run.
                    if state.openedAt != nil || Task.isCancelled { return true }
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

    /// Returns once it is open or the time is over, or the task is cancelled.
    package func wait(for duration: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await EventLoopTimer.wait(for: duration) }
            // This task ends with the group, too, which is cancelled when the time is over.
            group.addTask { try? await self.waitUntilOpen() }
            await group.next()
            group.cancelAll()
        }
    }
}
