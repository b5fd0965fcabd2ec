import CaptureModel
import CaptureStore
import Logging
import Synchronization

/// Tells the log what an operator should see of each receipt; of those that the settings keep back, each reason once:
/// they come round again, as many as there are.
final class ReceiptLog: Sendable {
    private let logger: Logger
    private let withheld = Mutex<Set<String>>([])

    init(logger: Logger) {
        self.logger = logger
    }

    /// Notes what became of a receipt; a refused developer key is announced by the renewer's loop.
    func note(_ settlement: ReceiptSettlement, of device: DeviceID) {
        let metadata: Logger.Metadata = [
            "device_id": "\(device)", "outcome": "\(settlement.outcome.rawValue)",
            "reason": "\(settlement.reason ?? "")",
        ]
        switch settlement.outcome {
        case .rejected: logger.error("Apple sent a receipt that is not the device's", metadata: metadata)
        case .ended where settlement.next != nil: noteWithheld(settlement.reason ?? "", metadata)
        case .refused, .ended: logger.warning("a receipt is not exchanged any more", metadata: metadata)
        default: logger.debug("a receipt was exchanged", metadata: metadata)
        }
    }

    private func noteWithheld(_ reason: String, _ metadata: Logger.Metadata) {
        if withheld.withLock({ $0.insert(reason).inserted }) {
            logger.warning("receipts are kept back as the settings are", metadata: ["reason": "\(reason)"])
        }
        logger.debug("a receipt is kept back", metadata: metadata)
    }
}
