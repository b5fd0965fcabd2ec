import CaptureModel
import CaptureStore
import DeviceCheck
import Logging
import Synchronization

/// Tells the log what an operator should see of each receipt; of those that the settings keep back, each reason once:
/// they come round again, as many as there are.
///
/// What keeps all of them is told when it begins and when it is over.
final class ReceiptLog: Sendable {
    /// One receipt's turn.
    struct Turn: Sendable {
        /// What became of the receipt.
        let settlement: ReceiptSettlement
        /// Why Apple was not reached, in words.
        var fault: String?
    }

    /// What keeps every receipt from being exchanged.
    private enum Obstacle {
        case record
        case developerKey
    }

    private let logger: Logger
    private let withheld = Mutex<Set<String>>([])
    private let obstacles = Mutex<Set<Obstacle>>([])
    private let reach = AppleReach()

    init(logger: Logger) {
        self.logger = logger
    }

    /// Notes how a look for a receipt that is due went; there was none where the turn is `nil`.
    func note(_ round: Result<Turn?, StoreError>) {
        switch round {
        case .failure(let fault): begin(.record, "\(fault)")
        case .success(let turn):
            end(.record)
            if let turn { noteAnswer(turn) }
        }
    }

    /// Only who was answered by Apple has learnt anything of it; and too much to do says nothing about the key.
    private func noteAnswer(_ turn: Turn) {
        switch turn.settlement.outcome {
        case .waiting, .ended: return
        case .unreachable:
            if reach.note(isReached: false) != nil {
                logger.warning("Apple is not reached", metadata: ["fault": "\(turn.fault ?? "")"])
            }
            return
        case .unauthorized: begin(.developerKey, "Apple does not take the developer key")
        case .overloaded: break
        case .renewed, .notYet, .unknown, .rejected, .refused: end(.developerKey)
        }
        if reach.note(isReached: true) != nil { logger.notice("Apple is reached again") }
    }

    private func begin(_ obstacle: Obstacle, _ fault: String) {
        guard obstacles.withLock({ $0.insert(obstacle).inserted }) else { return }
        logger.error("receipts are not exchanged", metadata: ["fault": "\(fault)"])
    }

    private func end(_ obstacle: Obstacle) {
        guard obstacles.withLock({ $0.remove(obstacle) != nil && $0.isEmpty }) else { return }
        logger.notice("receipts are exchanged again")
    }

    /// Notes what became of a receipt.
    func note(_ turn: Turn, of device: DeviceID) {
        let settlement = turn.settlement
        let metadata: Logger.Metadata = [
            "device_id": "\(device)", "outcome": "\(settlement.outcome.rawValue)",
            "reason": "\(settlement.reason ?? turn.fault ?? "")",
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
