public import AppAttest
import CaptureModel
import CaptureStore
import DeviceCheck

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
    func settlement(
        of claim: ClaimedReceipt, _ finding: Finding, at now: Timestamp, chance: Double
    ) -> ReceiptSettlement {
        func wait(_ outcome: ReceiptOutcome, _ reason: String?, atLeast least: Duration = .zero)
            -> ReceiptSettlement
        {
            let attempts = claim.attempts + 1
            let pause = max(least, configuration.backoff.bound(attempt: attempts) * (0.1 + 0.9 * chance))
            return ReceiptSettlement(
                outcome: outcome, reason: reason, attempts: attempts, next: now.advanced(by: pause))
        }
        switch finding {
        case .renewed(let bytes, let verified):
            let notBefore = verified.notBefore.map { Timestamp($0) }
            let next = max(notBefore ?? now, now.advanced(by: configuration.interval))
            return ReceiptSettlement(
                outcome: .renewed, reason: nil, attempts: 0, next: next,
                renewal: .init(receipt: bytes, riskMetric: verified.riskMetric, notBefore: notBefore))
        case .rejected(let error): return wait(.rejected, error.code.rawValue)
        case .answered(let answer):
            switch answer {
            case .renewed: return wait(.rejected, "RECEIPT_MALFORMED")
            case .notYet: return tooEarly(claim, at: now, chance: chance)
            case .refused: return ReceiptSettlement(outcome: .refused, reason: "400", attempts: 0, next: nil)
            case .unauthorized: return wait(.unauthorized, "401", atLeast: configuration.alarmPause)
            case .unknown:
                // Apple keeps the data for about a month, and has had them again for some.
                let pause = configuration.unknownPause * (0.9 + 0.1 * chance)
                return ReceiptSettlement(
                    outcome: .unknown, reason: "404", attempts: 0, next: now.advanced(by: pause))
            case .overloaded(let status, let retryAfter):
                return wait(.overloaded, "\(status)", atLeast: min(retryAfter ?? .zero, configuration.backoff.cap))
            case .unexpected(let status): return wait(.overloaded, "\(status)")
            case .unreachable: return wait(.unreachable, nil)
            }
        }
    }

    /// No error: it is asked again when the receipt says so, or soon if it says that it should have been taken.
    private func tooEarly(_ claim: ClaimedReceipt, at now: Timestamp, chance: Double) -> ReceiptSettlement {
        let pause = configuration.backoff.bound(attempt: 1) * (0.1 + 0.9 * chance)
        let soon = now.advanced(by: pause)
        return ReceiptSettlement(
            outcome: .notYet, reason: "304", attempts: 0, next: max(claim.notBefore ?? soon, soon))
    }
}

/// Times and bounds of exchanging receipts.
public struct ReceiptRenewerConfiguration: Sendable {
    /// The roots that a receipt's chain may end in.
    public var roots: [TrustRoot] = [.appleRootG3]
    /// How often a worker looks for a receipt that is due, when it has found none.
    public var pollInterval: Duration = .seconds(10)
    /// How long a receipt is out of the reach of other workers: longer than an answer may take.
    public var lease: Duration = .seconds(60)
    /// How long a renewed receipt is kept at least before it is exchanged; Apple takes it after a day.
    public var interval: Duration = .seconds(86_400)
    /// The waits after a failure.
    public var backoff = Backoff(base: .seconds(60), cap: .seconds(21_600))
    /// How long nothing is asked after Apple has refused our developer key.
    public var alarmPause: Duration = .seconds(900)
    /// How long a receipt is left alone that Apple knows nothing of.
    public var unknownPause: Duration = .seconds(604_800)

    /// The defaults.
    public init() {}
}
