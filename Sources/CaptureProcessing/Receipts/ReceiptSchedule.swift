import AppAttest
import AppleDeviceCheck
import CaptureModel
import CaptureStore
import Waiting

/// Decides what Apple's answer means for a receipt, without clock, randomness, input or output.
struct ReceiptSchedule: Sendable {
    let configuration: ReceiptRenewerConfiguration

    /// The settlement of a claimed receipt after an answer.
    /// - Parameters:
    ///   - chance: From 0 to 1: where in its range a random wait lies.
    ///   - verify: Verifies that a new receipt is good and is this key's.
    func settlement(
        of claim: ClaimedReceipt, _ answer: ReceiptAnswer, chance: Double,
        verifying verify: ([UInt8]) throws(ReceiptError) -> VerifiedReceipt
    ) -> ReceiptSettlement {
        func wait(
            _ outcome: ReceiptOutcome, _ reason: ReceiptReason?, atLeast least: Duration = .zero,
            notBefore: Timestamp? = nil
        ) -> ReceiptSettlement {
            let attempts = claim.attempts + 1
            let pause = max(least, configuration.backoff.delay(attempt: attempts, chance: chance))
            return ReceiptSettlement(
                outcome: outcome, reason: reason, attempts: attempts, next: .init(after: pause, notBefore: notBefore))
        }
        func put(off outcome: ReceiptOutcome, _ reason: ReceiptReason) -> ReceiptSettlement {
            ReceiptSettlement(outcome: outcome, reason: reason, attempts: 0, next: muchLater(chance))
        }
        switch answer {
        case .renewed(let bytes):
            do throws(ReceiptError) {
                return renewal(bytes, try verify(bytes))
            } catch {
                return wait(.rejected, ReceiptReason(error.code))
            }
        case .notYet:
            // The receipt was due, so a server that answers so again and again has another clock, or none.
            return wait(.notYet, .status(304), notBefore: claim.notBefore)
        // The receipt is good: something else may be wrong that an operator mends.
        case .refused: return put(off: .refused, .status(400))
        case .unauthorized: return wait(.unauthorized, .status(401), atLeast: configuration.alarmPause)
        // Apple keeps data for about a month; some unknown receipts have become known again.
        case .unknown: return put(off: .unknown, .status(404))
        case .overloaded(let status, let retryAfter):
            return wait(.overloaded, .status(status), atLeast: min(retryAfter ?? .zero, configuration.backoff.cap))
        case .unexpected(let status): return wait(.overloaded, .status(status))
        case .unreachable: return wait(.unreachable, nil)
        }
    }

    private func renewal(_ receipt: [UInt8], _ verified: VerifiedReceipt) -> ReceiptSettlement {
        let notBefore = verified.notBefore.map { Timestamp($0) }
        return ReceiptSettlement(
            outcome: .renewed, reason: nil, attempts: 0,
            next: .init(after: configuration.interval, notBefore: notBefore),
            renewal: .init(receipt: receipt, riskMetric: verified.riskMetric, notBefore: notBefore))
    }

    /// Ends a receipt for now; it is due again much later, as settings or clock may be right by then.
    func withheld(_ reason: ReceiptReason, chance: Double) -> ReceiptSettlement {
        ReceiptSettlement(outcome: .ended, reason: reason, attempts: 0, next: muchLater(chance))
    }

    private func muchLater(_ chance: Double) -> ReceiptSettlement.Next {
        .init(after: configuration.unknownPause * (0.9 + 0.1 * chance))
    }
}
