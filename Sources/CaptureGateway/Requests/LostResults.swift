import CaptureModel
import Logging
import Synchronization

/// Logs that the record has lost a capture's result: once for each capture, as whoever waits for it asks for hours.
final class LostResults: Sendable {
    /// How many captures are remembered as told; when there are more, all of them may be told once more.
    static let capturesMax = 10_000

    private let told = Mutex<Set<CaptureID>>([])

    /// Notes that somebody has met such a capture; one that was told already is logged at debug.
    func note(_ capture: CaptureID, _ logger: Logger) {
        let isNews = told.withLock { told in
            if told.contains(capture) { return false }
            if told.count >= Self.capturesMax { told = [] }
            told.insert(capture)
            return true
        }
        logger.log(
            level: isNews ? .error : .debug, "the record has lost the result of an accepted capture",
            metadata: ["capture_id": "\(capture)"])
    }
}
