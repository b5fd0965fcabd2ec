import AppAttest
import AppleDeviceCheck
import Backoff
import CaptureModel
import CaptureStore

/// Decides what an answer of Apple's server means for a receipt: no clock, no chance, no input or output.
struct ReceiptSchedule: Sendable {
    let configuration: ReceiptRenewerConfiguration

    /// What was made of an answer: the server's own, or what the verification of a new receipt found.
    enum Finding: Sendable {
        /// A new receipt, and it is this key's.
        case renewed([UInt8], VerifiedReceipt)
        /// A new receipt that is not this key's, or not good.
        case rejected(ReceiptError)
        /// Anything else that was answered.
        case answered(ReceiptAnswer)
    }

    /// What becomes of the receipt.
    /// - Parameter chance: From 0 to 1: where in its range a random wait lies.
    func settlement(of claim: ClaimedReceipt, _ finding: Finding, chance: Double) -> ReceiptSettlement {
        func wait(
            _ outcome: ReceiptOutcome, _ reason: String?, atLeast least: Duration = .zero, notBefore: Timestamp? = nil
        ) -> ReceiptSettlement {
            let attempts = claim.attempts + 1
            let pause = max(least, configuration.backoff.delay(attempt: attempts, chance: chance))
            return ReceiptSettlement(
                outcome: outcome, reason: reason, attempts: attempts, next: .init(after: pause, notBefore: notBefore))
        }
        switch finding {
        case .renewed(let bytes, let verified):
            let notBefore = verified.notBefore.map { Timestamp($0) }
            return ReceiptSettlement(
                outcome: .renewed, reason: nil, attempts: 0,
                next: .init(after: configuration.interval, notBefore: notBefore),
                renewal: .init(receipt: bytes, riskMetric: verified.riskMetric, notBefore: notBefore))
        case .rejected(let error): return wait(.rejected, error.code.rawValue)
        case .answered(let answer):
            switch answer {
            case .renewed: return wait(.rejected, "RECEIPT_MALFORMED")
            case .notYet:
                // It was due, so that whoever says so again and again goes by another clock, or by none.
                return wait(.notYet, "304", notBefore: claim.notBefore)
            case .refused:
                // The receipt is good: something else may be wrong that somebody mends.
                return ReceiptSettlement(outcome: .refused, reason: "400", attempts: 0, next: muchLater(chance))
            case .unauthorized: return wait(.unauthorized, "401", atLeast: configuration.alarmPause)
            case .unknown:
                // Apple keeps the data for about a month, and has had them again for some.
                return ReceiptSettlement(outcome: .unknown, reason: "404", attempts: 0, next: muchLater(chance))
            case .overloaded(let status, let retryAfter):
                return wait(.overloaded, "\(status)", atLeast: min(retryAfter ?? .zero, configuration.backoff.cap))
            case .unexpected(let status): return wait(.overloaded, "\(status)")
            case .unreachable: return wait(.unreachable, nil)
            }
        }
    }

    /// Ended as settings and clock are; looked at again after a long time, since they may be others then.
    func withheld(_ reason: String, chance: Double) -> ReceiptSettlement {
        ReceiptSettlement(outcome: .ended, reason: reason, attempts: 0, next: muchLater(chance))
    }

    private func muchLater(_ chance: Double) -> ReceiptSettlement.Next {
        .init(after: configuration.unknownPause * (0.9 + 0.1 * chance))
    }
}
