public import CaptureModel

extension CaptureMetrics {
    /// Counts an exchange of a device's receipt.
    public static func receiptExchange(_ outcome: ReceiptOutcome) {
        count(MetricCatalogue.receiptExchanges, outcome.rawValue)
    }
}
