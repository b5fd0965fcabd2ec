import AppleDeviceCheck
import CaptureModel
import Logging
import Observability
import Synchronization

/// Tells the log and the metrics how Apple answers questions about devices without App Attest.
///
/// Each kind of obstacle to an environment's answers is logged once, and once that there are answers again: it affects
/// every registration alike.
final class DeviceCheckNotes: Sendable {
    private let reach = AppleReach()
    /// The codes of the faults in each environment since its last answer.
    private let obstacles = Mutex<[KeyEnvironment: Set<String>]>([:])

    /// Notes how a question fared, with its fault if there was no answer.
    func note(_ fault: DeviceCheckFault?, in environment: KeyEnvironment, _ logger: Logger) {
        // A client that went away in the middle says nothing about Apple.
        if Task.isCancelled { return }
        noteKey(fault, in: environment)
        noteReach(fault, in: environment, logger)
    }

    /// Tells the metrics whether Apple takes the developer's key; neither silence nor overload says so.
    private func noteKey(_ fault: DeviceCheckFault?, in environment: KeyEnvironment) {
        switch fault {
        case nil, .token?, .request?: CaptureMetrics.developerKey(isRefused: false, in: environment)
        case .unauthorized?: CaptureMetrics.developerKey(isRefused: true, in: environment)
        case .overloaded?, .unexpected?, .unreachable?: break
        }
    }

    /// Logs faults in place of answers; that an environment's servers are away, and are back, once each.
    private func noteReach(_ fault: DeviceCheckFault?, in environment: KeyEnvironment, _ logger: Logger) {
        let place: Logger.Metadata = ["environment": "\(environment.rawValue)"]
        var metadata = place
        metadata["fault"] = "\(fault?.code ?? "")"
        metadata["detail"] = "\(fault?.detail ?? "")"
        if case .unreachable? = fault {
            if reach.note(isReached: false, in: environment) != nil {
                logger.warning("Apple is not reached", metadata: metadata)
            }
            return
        }
        if reach.note(isReached: true, in: environment) != nil {
            logger.notice("Apple is reached again", metadata: place)
        }
        // That a token is not taken is an answer: it is the device's fault.
        if let fault, fault != .token {
            let isNews = obstacles.withLock { $0[environment, default: []].insert(fault.code).inserted }
            logger.log(level: isNews ? .warning : .debug, "DeviceCheck did not answer", metadata: metadata)
        } else if obstacles.withLock({ $0.removeValue(forKey: environment) }) != nil {
            logger.notice("DeviceCheck answers again", metadata: place)
        }
    }
}
