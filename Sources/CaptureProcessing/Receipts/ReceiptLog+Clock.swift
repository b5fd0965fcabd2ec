import AppAttest
import CaptureModel

extension ReceiptLog {
    private static let reasonsOfTime: Set<ReceiptReason> = Set(
        [ReceiptError.Code.chainNotYetValid, .chainExpired, .expired, .createdLater, .stale].map { ReceiptReason($0) })

    /// Whether a new receipt would be good at another time: then our own clock is probably wrong.
    static func isOfTime(_ reason: ReceiptReason) -> Bool { reasonsOfTime.contains(reason) }
}
