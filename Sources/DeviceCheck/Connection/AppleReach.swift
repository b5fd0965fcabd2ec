import Synchronization

/// Whether Apple's servers are reached, as those find it who ask: tells a change once, however many questions meet it.
public final class AppleReach: Sendable {
    /// What has changed.
    public enum Change: Sendable, Equatable {
        /// They were reached, and are not any more.
        case lost
        /// They are reached again.
        case back
    }

    private let isLost = Mutex(false)

    /// Begins with servers that are taken to be there.
    public init() {}

    /// Notes how a question fared.
    /// - Parameter isReached: Whether there was an answer, whatever it says.
    /// - Returns: What that changes; `nil` when it is as before.
    public func note(isReached: Bool) -> Change? {
        isLost.withLock { isLost in
            guard isLost == isReached else { return nil }
            isLost = !isReached
            return isReached ? .back : .lost
        }
    }
}
