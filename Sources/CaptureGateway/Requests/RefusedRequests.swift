import CaptureModel
import Logging
import Synchronization

/// Tells the log of requests that are refused, so that the id in an answer finds the reason.
///
/// Registrations, and uploads whose device or signature is not taken, are told at `info`: of each code as many lines
/// within ``span`` as the configuration says, so that nobody fills the disk with refusals. Those beyond, and all others,
/// are told at `debug`.
final class RefusedRequests: Sendable {
    /// For how long lines are counted together.
    static let span = Duration.seconds(60)

    private struct Count {
        var lines: [APIError.Code: Int] = [:]
        var began: ContinuousClock.Instant?
    }

    private let linesMax: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let count = Mutex(Count())

    /// - Parameters:
    ///   - linesMax: Lines of each code within ``span``.
    ///   - now: The clock that ``span`` is measured by.
    init(linesMax: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.linesMax = linesMax
        self.now = now
    }

    /// Tells of a refusal.
    /// - Parameters:
    ///   - operation: What was asked for; `nil` for what nobody routes.
    ///   - device: The device that the request names, whoever sent it.
    func note(_ failure: APIError, of operation: Operation?, device: DeviceID?, _ logger: Logger) {
        var metadata: Logger.Metadata = ["code": .string(failure.code.rawValue)]
        metadata["operation"] = operation.map { .string($0.rawValue) }
        metadata["reason"] = failure.reason.map { .string($0) }
        // May be a name of the client's making: only a harmless one is repeated.
        metadata["field"] = RequestIdentity.accepted(failure.field).map { .string($0) }
        metadata["device_id"] = (device ?? failure.deviceID).map { .string("\($0)") }
        let isShown = operation.map { $0.isTold(of: failure.code) } ?? false
        logger.log(level: isShown && hasRoom(for: failure.code) ? .info : .debug, "refused", metadata: metadata)
    }

    private func hasRoom(for code: APIError.Code) -> Bool {
        let time = now()
        return count.withLock { count in
            if count.began.map({ time - $0 >= Self.span }) ?? true { count = Count(began: time) }
            count.lines[code, default: 0] += 1
            return count.lines[code, default: 0] <= linesMax
        }
    }
}

extension Operation {
    /// Whether operators should know who was refused it, and why: no other place keeps that.
    fileprivate func isTold(of code: APIError.Code) -> Bool {
        switch self {
        case .registerDevice, .registerCheckedDevice, .reattestDevice, .startEnrolment, .attestEnrolment,
            .setEnrolmentPassword, .finalizeEnrolment:
            true
        case .uploadCapture: [.deviceNotFound, .deviceRevoked, .signatureInvalid].contains(code)
        case .issueChallenge, .listDevices, .showDevice, .revokeDevice, .affectedResults, .captureStatus,
            .captureProvenance, .captureEvidence, .captureStatuses, .captureEvents, .listCaptures, .searchIDs, .events,
            .queueLoad, .rollout, .listAudit, .liveness, .readiness, .metrics, .description:
            false
        }
    }
}
