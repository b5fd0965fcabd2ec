public import CaptureModel
import Synchronization

/// Whether Apple's servers are reached, as those find it who ask: tells a change once, however many questions meet it.
///
/// Each environment has servers of its own: what is found of one says nothing of the other.
public final class AppleReach: Sendable {
    /// What has changed.
    public enum Change: Sendable, Equatable {
        /// They were reached, and are not any more.
        case lost
        /// They are reached again.
        case back
    }

    private let lost = Mutex<Set<KeyEnvironment>>([])

    /// Begins with servers that are taken to be there.
    public init() {}

    /// Notes how a question fared.
    /// - Parameters:
    ///   - isReached: Whether there was an answer, whatever it says.
    ///   - environment: Whose servers were asked.
    /// - Returns: What that changes; `nil` when it is as before.
    public func note(isReached: Bool, in environment: KeyEnvironment) -> Change? {
        lost.withLock { lost -> Change? in
            if isReached { return lost.remove(environment) == nil ? nil : .back }
            return lost.insert(environment).inserted ? .lost : nil
        }
    }
}
