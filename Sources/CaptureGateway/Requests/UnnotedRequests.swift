import CaptureModel
import Logging
import Spell
import Synchronization

/// Tells the log when the record begins not to note when devices are seen, and when it notes it again.
///
/// Such a request is served all the same, and nothing else would say why the devices look silent.
final class UnnotedRequests: Sendable {
    /// How long nothing may have failed before that is over: a record that takes some and not others is one change.
    static let calm = Duration.seconds(30)

    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let failing = Mutex(Spell(calm: calm))

    /// - Parameter now: The time.
    init(logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
    }

    /// Notes that it was not noted when a device was seen.
    func note(_ device: DeviceID, _ fault: some CustomStringConvertible) {
        if failing.withLock({ $0.begin(at: now()) }) {
            logger.warning("it is not noted when devices are seen", metadata: ["fault": "\(fault)"])
        }
        logger.debug(
            "not noted when a device was seen", metadata: ["device_id": "\(device)", "fault": "\(fault)"])
    }

    /// Notes that it was.
    func noted() {
        if failing.withLock({ $0.end(at: now()) }) { logger.notice("it is noted again when devices are seen") }
    }
}
