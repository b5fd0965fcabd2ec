import CaptureModel
import Logging

/// Logs that the record has lost a capture's result: once for each capture, as whoever waits for it asks for hours.
struct LostResults: Sendable {
    private let told = RememberedCaptures(max: 10_000)

    /// Notes that somebody has met such a capture; one that was told already is logged at debug.
    func note(_ capture: CaptureID, _ logger: Logger) {
        logger.log(
            level: told.insert(capture) ? .error : .debug, "the record has lost the result of an accepted capture",
            metadata: ["capture_id": "\(capture)"])
    }
}
