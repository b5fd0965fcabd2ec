public import CaptureModel
import Synchronization

/// Whether Apple's servers can be reached; reports each change once, however many requests notice it.
///
/// Each environment has servers of its own, so each has its own state.
public final class AppleReach: Sendable {
    /// What has changed.
    public enum Change: Sendable, Equatable {
        /// They could be reached before, and now cannot.
        case lost
        /// They can be reached again.
        case back
    }

    private let lost = Mutex<Set<KeyEnvironment>>([])

    /// Begins with all servers assumed to be reachable.
    public init() {}

    /// Notes how a request ended.
    /// - Parameters:
    ///   - isReached: Whether there was an answer, whatever it says.
    ///   - environment: Whose servers were asked.
    /// - Returns: The change; `nil` when there is none.
    public func note(isReached: Bool, in environment: KeyEnvironment) -> Change? {
        lost.withLock { lost -> Change? in
            if isReached { return lost.remove(environment) == nil ? nil : .back }
            return lost.insert(environment).inserted ? .lost : nil
        }
    }
}
