import AppAttest

extension ReceiptLog {
    private static let codesOfTime: Set<ReceiptError.Code> = [
        .chainNotYetValid, .chainExpired, .expired, .createdLater, .stale,
    ]

    /// Whether a new receipt would be good at another time: then it is rather our clock that is wrong.
    static func isOfTime(_ reason: String) -> Bool {
        ReceiptError.Code(rawValue: reason).map(codesOfTime.contains) ?? false
    }
}
