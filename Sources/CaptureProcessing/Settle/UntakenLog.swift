import CaptureModel
import Logging
import Observability

/// Logs once when captures of registered devices begin to be rejected as this worker's settings do not take them, and
/// once when that is over.
///
/// Gateways refuse such captures: one that comes was accepted by a gateway with other settings than the worker's, or
/// before a setting was changed. Its result never changes.
final class UntakenLog: Sendable {
    /// How long none must have been rejected for a setting until that is over.
    static let calm = Duration.seconds(600)

    private struct Cause: Sendable {
        let reason: Reason
        /// The setting that does not take the capture.
        let setting: String
        let episode = SharedEpisode(calm: UntakenLog.calm)
    }

    private let causes = [
        Cause(reason: .appNotAllowed, setting: "app.ids"),
        Cause(reason: .environmentMismatch, setting: "app.environments"),
        Cause(reason: .trustRootNotAllowed, setting: "app.roots"),
        Cause(reason: .bindingNotAllowed, setting: "capture.bindings"),
    ]
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    /// Notes what the record has decided of a batch; a repeated earlier decision is not noted again.
    func note(_ captures: [ExaminedCapture], _ decided: BatchDecision, at now: ContinuousClock.Instant) {
        var first: [Reason: ExaminedCapture] = [:]
        for capture in captures {
            guard let settled = decided.settled[capture.job.id], !settled.wasSettledBefore else { continue }
            if let reason = settled.reason, first[reason] == nil { first[reason] = capture }
        }
        for cause in causes {
            if let capture = first[cause.reason] {
                begin(cause, capture, at: now)
            } else if cause.episode.end(at: now) {
                logger.notice(
                    "captures are rejected for this worker's settings no longer",
                    metadata: ["setting": "\(cause.setting)"])
            }
        }
    }

    private func begin(_ cause: Cause, _ capture: ExaminedCapture, at now: ContinuousClock.Instant) {
        guard cause.episode.begin(at: now) else { return }
        logger.warning(
            "captures that a gateway has taken are rejected for this worker's settings",
            metadata: [
                "setting": "\(cause.setting)", "reason": "\(cause.reason.rawValue)", "capture_id": "\(capture.job.id)",
                "device_id": "\(capture.job.device)",
            ])
    }
}
