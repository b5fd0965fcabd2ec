import CaptureModel
import CaptureOperations

extension StatusDocument {
    /// The longest pause that is asked for: once an operator redrives or resumes, a capture may be settled sooner.
    private static let pauseMax = Duration.seconds(60)

    /// How long there is likely no news of a capture that is not settled.
    ///
    /// One that is put off waits for its time; a dead letter waits for somebody.
    func pause(at now: Timestamp) -> Duration {
        if state == .failed { return Self.pauseMax }
        guard state == .retrying, let nextAttemptAt else { return .seconds(1) }
        return min(max(nextAttemptAt.since(now), .seconds(1)), Self.pauseMax)
    }
}
