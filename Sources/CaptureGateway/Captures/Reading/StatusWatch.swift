import CaptureModel
import CaptureQueue
import ServiceLifecycle
import Waiting

/// Holds a status answer back until there is news of the capture, a limit is reached, or the gateway is to stop.
struct StatusWatch: Sendable {
    private let changes: any StateChanges

    init(changes: any StateChanges) {
        self.changes = changes
    }

    /// Reads a status; if it is no news, waits for a change and reads it again.
    ///
    /// Subscribes before it reads, so that no change falls between the two. With too many watchers already it answers
    /// what it has read.
    /// - Parameters:
    ///   - callerHasGone: Open when nobody waits for the answer any more.
    ///   - heldBack: Is told how long the answer was held back.
    ///   - isNews: Whether the caller does not know this status yet.
    func status(
        of capture: CaptureID, waitingAtMost limit: Duration, orUntil callerHasGone: Latch, noting heldBack: HeldTime,
        isNews: (StatusDocument) throws(APIError) -> Bool, read: () async throws(APIError) -> StatusDocument
    ) async throws(APIError) -> StatusDocument {
        guard let changes = changes.changes(of: capture) else { return try await read() }
        let first = try await read()
        if first.state.isSettled { return first }
        if try isNews(first) { return first }
        let began = ContinuousClock.now
        await Self.change(in: changes, from: first.state, atMost: limit, orUntil: callerHasGone)
        heldBack.add(began.duration(to: .now))
        return try await read()
    }

    private static func change(
        in changes: AsyncStream<StateChange>, from state: CaptureState, atMost limit: Duration,
        orUntil callerHasGone: Latch
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await change in changes where change.state != state { return }
                // The stream ends early when a change may have been missed; the wait is then over, too.
            }
            group.addTask { await callerHasGone.wait(for: limit) }
            group.addTask {
                // Throws only when cancelled: there was a change, or the wait is over.
                try? await gracefulShutdown()
            }
            await group.next()
            group.cancelAll()
        }
    }
}
