import AppAttest
import AppleDeviceCheck
import CaptureModel
import CaptureStore
import Logging
import Observability
import Synchronization

/// Logs what an operator should see of the exchange of receipts.
///
/// Receipts that the settings keep back come round again and again, so each reason is logged once. An obstacle to all
/// receipts, or to all of an environment, is logged when it begins and when it is over.
final class ReceiptLog: Sendable {
    /// One receipt's turn.
    struct Turn: Sendable {
        /// What became of the receipt.
        let settlement: ReceiptSettlement
        /// The environment whose servers were asked; `nil` when Apple was not.
        var environment: KeyEnvironment?
        /// The name of the server, by which an operator recognises a wrong address.
        var host: String?
        /// Why Apple was not reached, in words.
        var fault: String?
        /// How long Apple wants not to be asked.
        var retryAfter: Duration?
    }

    /// One look for a receipt that is due.
    struct Round: Sendable {
        /// The receipt's turn; `nil` when none was due, or the record did not answer.
        var turn: Turn?
        /// Why the record gave no receipt, or did not take the settlement.
        var fault: StoreError?
    }

    /// What keeps receipts from being exchanged.
    private enum Obstacle: Hashable {
        /// The record, which keeps back all receipts.
        case record
        /// A refused developer key, which keeps back the receipts of an environment.
        case developerKey(KeyEnvironment)
        /// A doubted address of an environment, where receipt after receipt is refused or unknown.
        case address(KeyEnvironment)

        var environment: KeyEnvironment? {
            switch self {
            case .record: nil
            case .developerKey(let environment), .address(let environment): environment
            }
        }

        var metadata: Logger.Metadata {
            environment.map { ["environment": "\($0.rawValue)"] } ?? [:]
        }
    }

    private let logger: Logger
    private let withheld = Mutex<Set<ReceiptReason>>([])
    private let obstacles = Mutex<Set<Obstacle>>([])
    /// The reasons already logged for which new receipts are not taken.
    private let untaken = Mutex<[KeyEnvironment: Set<ReceiptReason>]>([:])
    private let reach = AppleReach()

    init(logger: Logger) {
        self.logger = logger
    }

    /// Notes how a look for a receipt that is due went.
    /// - Parameter isDoubted: Whether too many receipts in a row were refused or unknown at that address.
    func note(_ round: Round, isDoubted: Bool = false) {
        if let fault = round.fault { begin(.record, "\(fault)") } else { end(.record) }
        guard let turn = round.turn, let environment = turn.environment else { return }
        if isDoubted {
            let fault = "one receipt after the other is refused, or not known: is the address right?"
            begin(.address(environment), fault, ["host": "\(turn.host ?? "")"])
        } else {
            end(.address(environment))
        }
        noteAnswer(turn, of: environment)
    }

    /// Notes an answer: only an answer of Apple's counts as reached, and too many requests say nothing about the key.
    private func noteAnswer(_ turn: Turn, of environment: KeyEnvironment) {
        var metadata: Logger.Metadata = ["environment": "\(environment.rawValue)"]
        switch turn.settlement.outcome {
        case .waiting, .ended: return
        case .unreachable:
            metadata["fault"] = "\(turn.fault ?? "")"
            if reach.note(isReached: false, in: environment) != nil {
                logger.warning("Apple is not reached", metadata: metadata)
            }
            return
        case .unauthorized: noteKey(isRefused: true, in: environment)
        case .overloaded: break
        case .renewed:
            noteTaken(in: environment)
            noteKey(isRefused: false, in: environment)
        case .rejected:
            if let reason = turn.settlement.reason { noteUntaken(reason, in: environment) }
            noteKey(isRefused: false, in: environment)
        case .notYet, .unknown, .refused: noteKey(isRefused: false, in: environment)
        }
        if reach.note(isReached: true, in: environment) != nil {
            logger.notice("Apple is reached again", metadata: metadata)
        }
    }

    private func noteKey(isRefused: Bool, in environment: KeyEnvironment) {
        CaptureMetrics.developerKey(isRefused: isRefused, in: environment)
        if isRefused {
            begin(.developerKey(environment), "Apple does not take the developer key")
        } else {
            end(.developerKey(environment))
        }
    }

    /// Logs each reason once, until a new receipt is taken.
    private func noteUntaken(_ reason: ReceiptReason, in environment: KeyEnvironment) {
        guard untaken.withLock({ $0[environment, default: []].insert(reason).inserted }) else { return }
        logger.error(
            "a renewed receipt is not taken",
            metadata: [
                "environment": "\(environment.rawValue)", "reason": "\(reason)",
                "fault": Self.isOfTime(reason)
                    ? "is this machine's clock right?" : "Apple sent one that is not good, or not the device's",
            ])
    }

    private func noteTaken(in environment: KeyEnvironment) {
        guard untaken.withLock({ $0.removeValue(forKey: environment) }) != nil else { return }
        logger.notice("renewed receipts are taken again", metadata: ["environment": "\(environment.rawValue)"])
    }

    private func begin(_ obstacle: Obstacle, _ fault: String, _ more: Logger.Metadata = [:]) {
        guard obstacles.withLock({ $0.insert(obstacle).inserted }) else { return }
        var metadata = obstacle.metadata.merging(more) { $1 }
        metadata["fault"] = "\(fault)"
        logger.error("receipts are not exchanged", metadata: metadata)
    }

    /// Logs the end only when nothing else keeps the receipts of that environment from being exchanged.
    ///
    /// Obstacles of the other environment do not count.
    private func end(_ obstacle: Obstacle) {
        let isLast = obstacles.withLock { obstacles -> Bool in
            guard obstacles.remove(obstacle) != nil else { return false }
            guard obstacle != .record else { return obstacles.isEmpty }
            return !obstacles.contains { $0 == .record || $0.environment == obstacle.environment }
        }
        if isLast { logger.notice("receipts are exchanged again", metadata: obstacle.metadata) }
    }

    /// Notes what became of a receipt.
    func note(_ turn: Turn, of device: DeviceID) {
        let settlement = turn.settlement
        let metadata: Logger.Metadata = [
            "device_id": "\(device)", "outcome": "\(settlement.outcome.rawValue)",
            "reason": "\(settlement.reason?.rawValue ?? turn.fault ?? "")",
        ]
        switch settlement.outcome {
        case .ended where settlement.reason == .expired:
            logger.warning("a receipt has expired, by this machine's clock", metadata: metadata)
        case .ended:
            if let reason = settlement.reason, settlement.next != nil {
                noteWithheld(reason, metadata)
            } else {
                logger.warning("a receipt is not exchanged any more", metadata: metadata)
            }
        case .refused: logger.warning("Apple refuses a receipt", metadata: metadata)
        default: logger.debug("a receipt was exchanged", metadata: metadata)
        }
    }

    private func noteWithheld(_ reason: ReceiptReason, _ metadata: Logger.Metadata) {
        if withheld.withLock({ $0.insert(reason).inserted }) {
            logger.warning("receipts are kept back as the settings are", metadata: ["reason": "\(reason)"])
        }
        logger.debug("a receipt is kept back", metadata: metadata)
    }
}
