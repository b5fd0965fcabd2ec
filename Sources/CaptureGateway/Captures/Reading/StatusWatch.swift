import CaptureModel
import CaptureQueue
import ServiceLifecycle

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
    ///   - isConnected: Whether the caller is still connected: nothing else would end the wait of one who has gone.
    ///   - isNews: Whether the caller does not know this status yet.
    func status(
        of capture: CaptureID, waitingAtMost limit: Duration, isConnected: @escaping @Sendable () -> Bool,
        isNews: (StatusDocument) throws(APIError) -> Bool, read: () async throws(APIError) -> StatusDocument
    ) async throws(APIError) -> StatusDocument {
        guard let changes = changes.changes(of: capture) else { return try await read() }
        let first = try await read()
        if first.state.isSettled { return first }
        if try isNews(first) { return first }
        await Self.change(in: changes, from: first.state, atMost: limit, while: isConnected)
        return try await read()
    }

    /// How often it looks whether the caller has gone.
    private static let lookInterval = Duration.seconds(2)

    private static func change(
        in changes: AsyncStream<StateChange>, from state: CaptureState, atMost limit: Duration,
        while isConnected: @escaping @Sendable () -> Bool
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await change in changes where change.state != state { return }
                // The stream ends early when a change may have been missed; the wait is then over, too.
            }
            group.addTask {
                let end = ContinuousClock.now + limit
                while isConnected(), .now < end {
                    // Throws only when cancelled: there was a change.
                    guard (try? await Task.sleep(for: min(lookInterval, end - .now))) != nil else { return }
                }
            }
            group.addTask {
                // Throws only when cancelled, for the same reason.
                try? await gracefulShutdown()
            }
            await group.next()
            group.cancelAll()
        }
    }
}
