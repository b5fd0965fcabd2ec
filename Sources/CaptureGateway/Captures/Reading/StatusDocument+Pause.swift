import CaptureModel
import CaptureOperations

extension StatusDocument {
    /// The longest pause that is asked for: whatever an operator redrives or resumes is done sooner.
    private static let pauseMax = Duration.seconds(60)

    /// How long there is likely no news of a capture that is to be settled yet: one that is put off waits for its time, and
    /// a dead letter, or one whose result the record has lost, for somebody.
    func pause(at now: Timestamp) -> Duration {
        if state == .failed || state.isFinal { return Self.pauseMax }
        guard state == .retrying, let nextAttemptAt else { return .seconds(1) }
        return min(max(nextAttemptAt.since(now), .seconds(1)), Self.pauseMax)
    }
}
